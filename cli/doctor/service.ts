import { exitCodes } from '../../shared/exit-codes.ts'
import type { Connection } from '../client/connection.ts'
import type { Context } from '../context.ts'
import { isKey, principalOf } from '../flows/auth/principal.ts'
import { signInLine } from '../flows/auth/sign-in-line.ts'
import { toCliError } from '../output/error-report.ts'
import { commandLine } from '../output/shell-line.ts'
import { relativeTime } from '../output/time.ts'
import { connectForProbe } from '../probe.ts'
import { version } from '../process/version.ts'
import { errorFinding, type Finding, ok, problem, warning } from './findings.ts'

/** Milliseconds: short, because a diagnosis should not keep people waiting. */
const patience = 5000
/** Milliseconds that two clocks can differ before expiry times look wrong. */
const slack = 30_000

/** Checks that the service is ready and of the same version as this command. */
export async function serviceFindings(context: Context): Promise<readonly Finding[]> {
  try {
    const connection = await connectForProbe(context, {
      from: 'doctor',
      patience: Math.min(context.settings.timeout.value, patience),
    })
    const started = context.host.now()
    const { status, headers, body } = await connection.send({ method: 'GET', path: '/ready' })
    const ended = context.host.now()
    const base = connection.server
    if (status !== 200) return [notReady(base, status)]
    if (Object(body).ready !== true) return [notOurs(base)]
    const clock = clockFinding(String(headers['date'] ?? ''), (started + ended) / 2)
    return [ok('service', `${base} is ready`), ...clock, ...(await versionFindings(connection))]
  } catch (error) {
    return [errorFinding('service', error)]
  }
}

const notReady = (base: string, status: number): Finding =>
  problem('service', `${base} answers ${status} and is not ready`, commandLine('postern', 'wait', '--timeout', '60s'))

const notOurs = (base: string): Finding =>
  problem('service', `What answers at ${base} is not the service`, 'postern auth status --explain')

/** The header has whole seconds, so half a second is added. */
function clockFinding(date: string, now: number): readonly Finding[] {
  const difference = Date.parse(date) + 500 - now
  if (!(Math.abs(difference) > slack)) return []
  const by = `${Math.round(Math.abs(difference) / 1000)} s ${difference > 0 ? 'behind' : 'ahead of'}`
  return [
    warning('service', `The clock of this machine is ${by} that of the service`, 'Set the clock, by NTP for example'),
  ]
}

async function versionFindings({ send }: Connection): Promise<readonly Finding[]> {
  const { body } = await send({ method: 'GET', path: '/openapi.json' })
  const theirs: unknown = Object(Object(body).info).version
  if (theirs === version) return []
  if (typeof theirs !== 'string') return [warning('service', 'The service does not tell its version')]
  return [warning('service', `The service is postern ${theirs}, and this command ${version}`, 'Use the same version')]
}

/** Checks whether there is a session, and when it ends. `earlier`: what has been found so far. */
export async function sessionFindings(context: Context, earlier: readonly Finding[]): Promise<readonly Finding[]> {
  try {
    const { account, token, from } = await context.identity()
    if (token === undefined && !(account && (await context.accounts.credentials(account))))
      return [ok('session', `Nobody is signed in here: ${signInLine(account?.email)}`)]
    const { api } = await context.connect()
    const view = await api.session.getSession()
    if (!view) return [over(account?.email, from)]
    const who = isKey(view) ? await principalOf(api, view) : view.user.email
    const ends = relativeTime(view.session.expiresAt, context.host.now())
    return [ok('session', `Signed in as ${who}, by ${from}; the session ends ${ends}`)]
  } catch (error) {
    return isReported(error, earlier) ? [] : [errorFinding('session', error)]
  }
}

/** What several checks report: network, server and file errors. */
const common: ReadonlySet<number> = new Set([exitCodes.network, exitCodes.server, exitCodes.localState])

const isReported = (error: unknown, earlier: readonly Finding[]): boolean =>
  common.has(toCliError(error).exitCode) && earlier.some(({ status }) => status === 'problem')

const over = (account: string | undefined, from: string): Finding =>
  account === undefined
    ? warning('session', `The token of ${from} is no longer a valid session`, `unset ${from}`)
    : warning('session', `The session of ${account} is over`, signInLine(account))
