import type { FullUser } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { AccountAt, Impersonation } from '../../accounts/accounts.ts'
import { CliError, signedOutError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandLine } from '../../output/shell-line.ts'
import { relativeTime } from '../../output/time.ts'
import type { Done } from '../flow.ts'
import type { Ports } from '../ports.ts'

/** Whom it is about, and until when. */
export interface Impersonated {
  readonly email: string
  readonly expiresAt: Date
}

export const impersonatedFields = { email: 'text', expiresAt: 'date' } as const

/** One at a time: whoever acts as somebody has to be themselves again first. */
export async function checkNotImpersonating({ accounts, current }: Ports): Promise<AccountAt> {
  const account = await current()
  if (!account)
    throw new CliError(
      exitCodes.usage,
      'A token of the environment speaks for itself alone: impersonation is kept with an account',
      {
        code: 'USAGE',
        hint: 'Leave the token out, and sign in: postern sign-in',
      },
    )
  const held = await accounts.impersonation(account)
  if (held) throw actsAlready(held)
  return account
}

/** By the account's own session as a token: what the answer would put into the place of its cookies is kept beside them. */
export async function startImpersonating(ports: Ports, account: AccountAt, user: FullUser): Promise<Impersonated> {
  const own = await ports.accounts.token(account)
  if (own === undefined) throw new TypeError(`${account.email} has no session`)
  const { api } = await ports.withToken(ports.server, own)
  const { session } = await api.admin.impersonateUser({ userId: user.id })
  const held = { email: user.email, token: session.token, expiresAt: session.expiresAt.toISOString() }
  await keepAlone(ports, account, held).catch(async (error: unknown) => {
    // What cannot be kept shall not live on where nobody can end it.
    await endAtService(ports, held)
    throw error
  })
  return { email: user.email, expiresAt: session.expiresAt }
}

/** Another run may have begun one since it was looked. */
async function keepAlone({ accounts }: Ports, account: AccountAt, wanted: Impersonation): Promise<void> {
  const acting = await accounts.impersonate(account, wanted)
  if (acting.token !== wanted.token) throw actsAlready(acting)
}

const actsAlready = ({ email }: Impersonation) =>
  new CliError(exitCodes.conflict, `You act as ${email} already`, {
    code: 'ALREADY_IMPERSONATING',
    hint: 'Stop that first: postern admin impersonation stop',
  })

/** The own session is there again, unless another run acts as somebody by then; what the service said comes after. `isLocal`: it is not asked. */
export async function stopHeld(
  ports: Ports,
  account: AccountAt,
  { held, isLocal = false }: { readonly held: Impersonation; readonly isLocal?: boolean },
): Promise<Done<Impersonated>> {
  const failure = isLocal ? undefined : await endAtService(ports, held)
  const other = await ports.accounts.endImpersonation(account, held)
  // Whoever took the place of this one has stopped it before, and was told how that went.
  if (other) throw actsAlready(other)
  if (failure) throw livesOn(failure, held, ports.now())
  return {
    sentence: `Stopped impersonating ${held.email}: you are ${account.email} again`,
    status: 'deleted',
    resource: { email: held.email, expiresAt: new Date(held.expiresAt) },
    leadsHome: true,
  }
}

/** Answers why the service did not end it; that it is over there already is what was asked for. */
async function endAtService(ports: Ports, { token }: Impersonation): Promise<CliError | undefined> {
  try {
    const { api } = await ports.withToken(ports.server, token)
    await api.admin.stopImpersonating({})
    return undefined
  } catch (error) {
    const cliError = toCliError(error)
    const isOver = cliError.exitCode === exitCodes.signedOut || cliError.code === 'YOU_ARE_NOT_IMPERSONATING_ANYONE'
    return isOver ? undefined : cliError
  }
}

const livesOn = (failure: CliError, { email, expiresAt }: Impersonation, now: number) =>
  new CliError(
    failure.exitCode,
    `You are yourself again here, but the service could not end the impersonation of ${email}, which goes on there and ends ${relativeTime(new Date(expiresAt), now)}: ${failure.message}`,
    {
      code: failure.code,
      status: failure.status,
      hint: `End it there: ${commandLine('postern', 'admin', 'session', 'list', email)}`,
      cause: failure,
    },
  )

export const wayBack = 'Back to your own session: postern admin impersonation stop'

/** Signing in would be no help: the account's own session is there, and waits. */
export const impersonationOver = (email: string): CliError =>
  signedOutError(`The impersonation of ${email} is over`, wayBack)
