import { context, propagation, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'

export interface Tracing {
  /** The ended spans of the trace that began with this route, oldest first. */
  readonly spans: () => readonly ReadableSpan[]
  forget(): void
  stop(): Promise<void>
}

/** A real SDK in this process, until it is stopped. */
export function startTracing(sampler?: Sampler): Tracing {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({
    ...(sampler ? { sampler } : {}),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  provider.register()
  return {
    spans: () => exporter.getFinishedSpans(),
    forget: () => exporter.reset(),
    stop: async () => {
      for (const api of [trace, context, propagation]) api.disable()
      await provider.shutdown()
    },
  }
}
