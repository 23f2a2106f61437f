import { exitCodes } from '../../shared/exit-codes.ts'

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'success, also for an empty list or a closed pipe',
  failure: 'unexpected failure',
  usage: 'usage: unknown command or flag, bad value, conflict of flags',
  cancelled: 'cancelled by the user',
  signedOut: 'not signed in: no session, an expired or revoked one, or a wrong password',
  forbidden: 'signed in but not allowed; role check denied',
  notFound: 'not found',
  conflict: 'conflict: exists already, ambiguous name, last owner, limit reached',
  pending: 'pending: not approved yet',
  rateLimited: 'rate limited (prints when to come back)',
  network: 'network, TLS, proxy, timeout',
  server: "server error, or an answer that is not the service's",
  rejected: 'input rejected by the service',
  partial:
    'partial failure of a bulk command, per-item results printed; org apply --dry-run --exit-code: something would change',
  inputNeeded: 'input needed, but nobody to ask: no terminal, CI, or --no-input',
  localState: 'local state: jar locked, unreadable, wrong owner, newer format',
  problemFound: 'doctor, or a test, found a problem that is not of local state',
  interrupted: 'interrupted (SIGINT)',
  terminated: 'terminated (SIGTERM)',
}

/** Each exit code with its meaning. */
export const exitMeanings: ReadonlyMap<number, string> = new Map(
  Object.entries(exitCodes).map(([name, code]) => [code, String(Reflect.get(meanings, name))]),
)

/** The beginning of the meaning, for lists: `not signed in`. */
export const shortExitMeaning = (code: number): string => (exitMeanings.get(code) ?? '').replace(/[:,;(].*/, '').trim()
