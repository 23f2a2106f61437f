import { exitCodes } from '../../shared/exit-codes.ts'

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done, also for an empty list and a reader that closed the pipe',
  failure: 'unexpected failure',
  usage: 'usage: unknown command or flag, bad value, conflict of flags',
  cancelled: 'cancelled by the person',
  signedOut: 'not signed in: no session, one that is expired or revoked, or a wrong password',
  forbidden: 'signed in but not allowed; role check denied',
  notFound: 'not found',
  conflict: 'conflict: exists already, ambiguous name, last owner, limit reached',
  pending: 'pending: not approved yet',
  rateLimited: 'rate limited (prints when to come back)',
  network: 'network, TLS, proxy, timeout',
  server: "server error, or an answer that is not the service's",
  rejected: 'input rejected by the service',
  partial:
    'partial failure of a bulk command, per-item results printed; org apply --dry-run --exit-code: it would change something',
  inputNeeded: 'input needed, but nobody to ask: no terminal, CI, or --no-input',
  localState: 'local state: jar locked, unreadable, wrong owner, newer format',
  interrupted: 'interrupted (SIGINT)',
  terminated: 'terminated (SIGTERM)',
}

export const exitCodesTopic = (): string =>
  Object.entries(exitCodes)
    .map(([name, code]) => `${String(code).padStart(4)}  ${Reflect.get(meanings, name)}`)
    .join('\n')
