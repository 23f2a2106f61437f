import type { Span, Context as TraceContext } from '@opentelemetry/api'
import type { Context, HonoRequest } from 'hono'
import { failSpan, kindOf, type SpanDescription, startSpan, type TracingApi, tracingApi } from '../tracing/spans.ts'
import { readTraceparent, type TraceIds } from '../tracing/traceparent.ts'
import type { Edge } from './edge.ts'
import { type HonoEnv, unknownRoute } from './request-state.ts'

type Work = () => Promise<Response>
type Configured = Pick<Edge, 'config'>

/** Handles a request in a span of its own when an SDK of OpenTelemetry is there. */
export function inRequestSpan(c: Context<HonoEnv>, edge: Configured, route: string, work: Work): Promise<Response> {
  const api = tracingApi()
  return api ? runInSpan(api, c, { edge, route, work }) : work()
}

async function runInSpan(
  api: TracingApi,
  c: Context<HonoEnv>,
  { edge, route, work }: { readonly edge: Configured; readonly route: string; readonly work: Work },
): Promise<Response> {
  const parent = parentOf(api, c)
  const kind = api.trace.getSpan(parent)?.isRecording() ? 'INTERNAL' : 'SERVER'
  const span = startSpan(api, describeRequest(c, edge, route, kind), parent)
  const state = c.get('state')
  state.span = span
  try {
    const response = await api.context.with(api.trace.setSpan(parent, span), work)
    span.setAttribute('http.response.status_code', response.status)
    if (response.status >= 500) tellFault(api, span, state.cause, response.status)
    return response
  } catch (error) {
    tellException(span, error)
    failSpan(api, span, error)
    throw error
  } finally {
    span.end()
  }
}

/** Only the server's own faults are errors of its span. */
function tellFault(api: TracingApi, span: Span, cause: unknown, status: number): void {
  tellException(span, cause)
  failSpan(api, span, cause, String(status))
}

/** The message of an error is left to the log: it may hold an address or a token. */
function tellException(span: Span, cause: unknown): void {
  if (cause instanceof Error) span.addEvent('exception', { 'exception.type': kindOf(cause) })
}

/** Inside another traced application, its span of the request is the one that the outside sees. */
function parentOf({ context, propagation, trace }: TracingApi, c: Context<HonoEnv>): TraceContext {
  return trace.getActiveSpan() ? context.active() : propagation.extract(context.active(), c.req, headersOfRequest)
}

const headersOfRequest = {
  get: (request: HonoRequest, name: string) => request.header(name),
  keys: (request: HonoRequest) => Object.keys(request.header()),
}

/** No path and no query: they may contain tokens. */
function describeRequest(c: Context<HonoEnv>, { config }: Configured, route: string, kind: 'INTERNAL' | 'SERVER') {
  const method = knownMethods.has(c.req.method) ? c.req.method : '_OTHER'
  const common = { 'http.request.method': method, 'url.scheme': config.BASE_URL.protocol.slice(0, -1) }
  if (route === unknownRoute) return { name: method === '_OTHER' ? 'HTTP' : method, kind, attributes: common }
  const path = `${config.BASE_PATH}${route}`
  return { name: `${method} ${path}`, kind, attributes: { ...common, 'http.route': path } } satisfies SpanDescription
}

/** A client may invent others. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'])

/** The ids for the log line: those of the request's own span, or of the one that the client named. */
export function traceIdsOf(c: Context<HonoEnv>): TraceIds | undefined {
  const span = c.get('state').span?.spanContext()
  if (!span || !tracingApi()?.isSpanContextValid(span)) return readTraceparent(c.req.header('traceparent'))
  return { trace_id: span.traceId, span_id: span.spanId }
}
