import type { Call, CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { type EdgeFailureName, edgeFailures, type FailureName } from '../../shared/errors.ts'
import { redirectFields, wireOf } from '../../shared/failure.ts'
import { providerIds } from '../../shared/providers.ts'

const groups: readonly CallGroup[] = Object.values(contract)
const calls = new Map<string, Call>(
  groups.flatMap((group) => Object.values(group)).map((call) => [`${call.method} ${call.path}`, call] as const),
)

/** Throws when a call refuses with anything but its listed failures and those of the edge. Every answer of the suite passes here. */
export function checkRefusal(method: string, path: string, status: number, text: string): void {
  const call = calls.get(`${method} ${path}`)
  if (!call || status === 200 || status === 302) return
  if (!refusalsOf(call).has(`${status} ${text}`))
    throw new Error(`${method} ${path} refused with what it does not list: ${status} ${text}`)
}

const refusals = new Map<Call, Set<string>>()

function refusalsOf(call: Call): Set<string> {
  const known =
    refusals.get(call) ?? new Set([...call.failures, ...(edgeFailures as Set<EdgeFailureName>)].flatMap(texts))
  refusals.set(call, known)
  return known
}

const texts = (name: FailureName): string[] =>
  fieldsOf(name).map((field) => {
    const { status, body } = wireOf(name, field)
    return `${status} ${body === null ? '' : JSON.stringify(body)}`
  })

function fieldsOf(name: FailureName): readonly (string | undefined)[] {
  if (name === 'INVALID_REDIRECT_TARGET') return redirectFields
  return name.startsWith('PROVIDER_') ? [undefined, ...providerIds] : [undefined]
}
