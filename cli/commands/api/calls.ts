import type { Call } from '../../../shared/contract/call.ts'

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
  const { contract } = await import('../../../shared/contract/index.ts')
  return Object.entries(contract).flatMap(([group, calls]) =>
    Object.entries<Call>(calls).map(([name, call]) => [`${group}.${name}`, call] as const),
  )
}

export async function namedCalls(): Promise<readonly NamedCall[]> {
  const calls = await contractCalls()
  return calls.map(([call, { method, path, access, summary }]) => ({ call, method, path, access, summary }))
}
