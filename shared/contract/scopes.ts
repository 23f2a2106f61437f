import type { Call } from './call.ts'
import { contract } from './index.ts'

const calls: readonly Call[] = Object.values(contract).flatMap((group) => Object.values<Call>(group))

/** What calls ask of a key that has scopes; each once, in the order of the alphabet. */
export const callScopes: readonly string[] = [...new Set(calls.flatMap(({ scope }) => scope ?? []))].toSorted()
