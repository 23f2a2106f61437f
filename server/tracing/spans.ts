import { createRequire } from 'node:module'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api'
import { version } from '../process/version.ts'

export type TracingApi = typeof OpenTelemetry

/** Where an API of 1.x keeps what an SDK registered. The one here takes it from 1.9 or later. */
const registered = Symbol.for('opentelemetry.js.api.1')
const require = createRequire(import.meta.url)
let loaded: TracingApi | undefined

/** The API of OpenTelemetry. Null, and not even loaded, until an SDK registers itself in this process. */
export function tracingApi(): TracingApi | null {
  if (loaded) return loaded
  if (!(registered in globalThis)) return null
  loaded = require('@opentelemetry/api') as TracingApi
  return loaded
}

export interface SpanDescription {
  readonly name: string
  readonly kind: keyof typeof SpanKind
  readonly attributes?: Attributes
}

/** Starts a span below the one of `context`. */
export const startSpan = (api: TracingApi, { name, kind, attributes = {} }: SpanDescription, context: Context): Span =>
  api.trace.getTracer('postern', version).startSpan(name, { kind: api.SpanKind[kind], attributes }, context)

/** Marks a span as failed by the kind of the error. Its message stays out: it may hold an address or a token. */
export function failSpan({ SpanStatusCode }: TracingApi, span: Span, error: unknown, type = kindOf(error)): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The code of an error or of its cause, otherwise its name. */
export function kindOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown }
  const { name, code } = Object(cause) as { name?: string; code?: unknown }
  return typeof code === 'string' ? code : (name ?? 'unknown')
}

type SpannedWork<T> = (span: Span | undefined) => Promise<T>

/** Runs work in a trace of its own, whichever request happened to wake it. */
export function inOwnSpan<T>(description: SpanDescription, work: SpannedWork<T>): Promise<T> {
  const api = tracingApi()
  return api ? runInSpan(api, description, api.ROOT_CONTEXT, work) : work(undefined)
}

/** Runs work in a span below the active one. Without a span that is recorded, it just runs it. */
export function inChildSpan<T>(describe: () => SpanDescription, work: SpannedWork<T>): Promise<T> {
  const api = tracingApi()
  if (!api?.trace.getActiveSpan()?.isRecording()) return work(undefined)
  return runInSpan(api, describe(), api.context.active(), work)
}

async function runInSpan<T>(
  api: TracingApi,
  description: SpanDescription,
  parent: Context,
  work: SpannedWork<T>,
): Promise<T> {
  const span = startSpan(api, description, parent)
  try {
    return await api.context.with(api.trace.setSpan(parent, span), () => work(span))
  } catch (error) {
    failSpan(api, span, error)
    throw error
  } finally {
    span.end()
  }
}

/** The headers by which a receiver continues the active trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  const api = tracingApi()
  api?.propagation.inject(api.context.active(), headers)
  return headers
}
