/** What a log line names of a trace, by the names of OpenTelemetry. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
}

/** W3C Trace Context: later versions may add fields, and ff is no version. */
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The ids of a `traceparent` header. Undefined for an invalid one. */
export function readTraceparent(header: string | undefined): TraceIds | undefined {
  const [, version, traceId, spanId, more] = pattern.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return version === '00' && more !== undefined ? undefined : { trace_id: traceId, span_id: spanId }
}
