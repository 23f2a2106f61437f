import type { Call } from './call.ts'
import { contract } from './index.ts'

const calls: readonly Call[] = Object.values(contract).flatMap((group) => Object.values<Call>(group))

/** The scopes that calls require of a key, each once, in alphabetical order. */
export const callScopes: readonly string[] = [...new Set(calls.flatMap(({ scope }) => scope ?? []))].toSorted()
