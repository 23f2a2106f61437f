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
import { errorFinding, type Finding, ok, warning } from './findings.ts'

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
    const { status, headers } = await connection.send({ method: 'GET', path: '/ready' })
    const ended = context.host.now()
    const base = connection.server
    if (status !== 200) return [notReady(base, status)]
    const clock = clockFinding(String(headers['date'] ?? ''), (started + ended) / 2)
    return [ok('service', `${base} is ready`), ...clock, ...(await versionFindings(connection))]
  } catch (error) {
    return [errorFinding('service', error)]
  }
}

const notReady = (base: string, status: number): Finding => ({
  ...warning(
    'service',
    `${base} answers ${status} and is not ready`,
    commandLine('postern', 'wait', '--timeout', '60s'),
  ),
  status: 'problem',
})

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
  if (typeof theirs !== 'string' || theirs === version) return []
  return [warning('service', `The service is postern ${theirs}, and this command ${version}`, 'Use the same version')]
}

/** Earlier checks have already reported network, server and file errors. */
const alreadyReported: ReadonlySet<number> = new Set([exitCodes.network, exitCodes.server, exitCodes.localState])

/** Checks whether there is a session, and when it ends. */
export async function sessionFindings(context: Context): Promise<readonly Finding[]> {
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
    const { exitCode } = toCliError(error)
    if (alreadyReported.has(exitCode)) return []
    return [errorFinding('session', error)]
  }
}

const over = (account: string | undefined, from: string): Finding =>
  account === undefined
    ? warning('session', `The token of ${from} is no longer a valid session`, `unset ${from}`)
    : warning('session', `The session of ${account} is over`, signInLine(account))
