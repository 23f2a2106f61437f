import { type Call, inputFailureOf } from '../../shared/contract/call.ts'
import { allowedWhileImpersonating } from '../../shared/contract/while-impersonating.ts'
import type { FailureName } from '../../shared/errors.ts'
import { type ExitCode, exitCodeOf } from '../../shared/exit-codes.ts'
import { codeInBody, wireOf } from '../../shared/failure.ts'
import { allCalls } from './calls.ts'

/** The exit codes of the failures of every call, by its path. A path that no call has is an error of the program. */
export async function loadExitsOfCalls(): Promise<(path: string) => readonly ExitCode[]> {
  const calls = await allCalls()
  return (path) => {
    const meant = calls.filter((call) => call.path === path)
    if (meant.length === 0) throw new TypeError(`The contract has no call at ${path}`)
    return meant.flatMap((call) => [...call.failures, ...edgeFailuresOf(call)]).map(exitOf)
  }
}

function exitOf(failure: FailureName): ExitCode {
  const { status, body } = wireOf(failure)
  return exitCodeOf(status, codeInBody(body))
}

/** The failures that any such call can have, as far as this client can cause them. */
const edgeFailuresOf = (call: Call): readonly FailureName[] => [
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  ...(hasFields(call.input) ? [inputFailureOf(call)] : []),
  ...(call.access === 'session' ? (['UNAUTHORIZED', 'KEY_FORBIDDEN'] as const) : []),
  ...(call.access === 'session' && !allowedWhileImpersonating.has(call.path)
    ? (['NOT_WHILE_IMPERSONATING'] as const)
    : []),
]

const hasFields = (input: Call['input']): boolean => Object.keys(Object(Object(input).shape)).length > 0
