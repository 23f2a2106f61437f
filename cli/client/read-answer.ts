import type { Call, Output } from '../../shared/contract/call.ts'

type Read = ReturnType<Call['output']['safeParse']>
type Issues = NonNullable<Read['error']>['issues']

/**
 * What a call answered, as the contract has it. A service of before a field was there does not send it: where the contract lets it
 * be null, it is.
 */
export function readAnswer<C extends Call>({ output }: C, body: unknown): Output<C> {
  const read = output.safeParse(body)
  if (read.success) return read.data as Output<C>
  const again = output.safeParse(withNulls(body, read.error.issues))
  if (!again.success) throw read.error
  return again.data as Output<C>
}

/** A copy with null for all that was missed. */
function withNulls(body: unknown, issues: Issues): unknown {
  const copy = structuredClone(body)
  for (const { path } of issues) {
    const name = path.at(-1)
    const parent = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], copy)
    if (name !== undefined && isRecord(parent) && parent[name] === undefined) parent[name] = null
  }
  return copy
}

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
