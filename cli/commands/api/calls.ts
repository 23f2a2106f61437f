import type { Call, CallGroup } from '../../../shared/contract/call.ts'

export interface NamedCall {
  /** `session.listSessions` */
  readonly call: string
  readonly method: string
  readonly path: string
  readonly access: string
  readonly summary: string
}

/** Every record of the contract with its name. */
export async function contractCalls(): Promise<readonly (readonly [name: string, call: Call])[]> {
  const { callGroups } = await import('../../client/calls.ts')
  const named = Object.entries<() => Promise<CallGroup>>(callGroups).map(async ([group, load]) =>
    Object.entries<Call>(await load()).map(([name, call]) => [`${group}.${name}`, call] as const),
  )
  return (await Promise.all(named)).flat()
}

export async function namedCalls(): Promise<readonly NamedCall[]> {
  const calls = await contractCalls()
  return calls.map(([call, { method, path, access, summary }]) => ({ call, method, path, access, summary }))
}
