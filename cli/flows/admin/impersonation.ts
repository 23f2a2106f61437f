import type { FullUser } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { AccountRef, Impersonation } from '../../accounts/accounts.ts'
import { UnkeptAnswerError } from '../../client/errors.ts'
import { isPlanned } from '../../client/planned-request.ts'
import { CliError, signedOutError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandLine } from '../../output/shell-line.ts'
import { relativeTime } from '../../output/time.ts'
import type { FlowResult } from '../flow.ts'
import { type FlowContext, serverAt } from '../flow-context.ts'

/** The impersonated user, and when it ends. */
export interface ImpersonationInfo {
  readonly email: string
  readonly expiresAt: Date
}

export const impersonatedFields = { email: 'text', expiresAt: 'date' } as const

/** Only one impersonation at a time: stop the current one first. */
export async function checkNotImpersonating({ accounts, current }: FlowContext): Promise<AccountRef> {
  const account = await current()
  if (!account)
    throw new CliError(
      exitCodes.usage,
      'Impersonation needs an account stored on this machine, but this run uses a token from the environment',
      {
        code: 'USAGE',
        hint: 'Unset the token, and sign in: postern sign-in',
      },
    )
  const held = await accounts.impersonation(account)
  if (held) throw alreadyImpersonatingError(held)
  return account
}

/**
 * Sends the account's own session as a token, so that cookies of the answer do not replace it; the new session is
 * stored next to it.
 */
export async function startImpersonating(
  context: FlowContext,
  account: AccountRef,
  user: FullUser,
): Promise<ImpersonationInfo> {
  const own = await context.accounts.token(account)
  if (own === undefined) throw new TypeError(`${account.email} has no session`)
  const { api } = await context.withToken(serverAt(context, account.origin), own)
  const { session } = await api.admin.impersonateUser({ userId: user.id })
  const held = { email: user.email, token: session.token, expiresAt: session.expiresAt.toISOString() }
  await storeImpersonation(context, account, held).catch(async (error: unknown) => {
    // A session that cannot be stored must be ended, because nobody could end it later.
    await endAtService(context, account, held)
    throw error
  })
  return { email: user.email, expiresAt: session.expiresAt }
}

/** Stores the impersonation, unless another run has started one in the meantime. */
async function storeImpersonation(
  { accounts }: FlowContext,
  account: AccountRef,
  wanted: Impersonation,
): Promise<void> {
  const acting = await accounts.impersonate(account, wanted)
  if (acting.token !== wanted.token) throw alreadyImpersonatingError(acting)
}

const alreadyImpersonatingError = ({ email }: Impersonation) =>
  new CliError(exitCodes.conflict, `You act as ${email} already`, {
    code: 'ALREADY_IMPERSONATING',
    hint: 'Stop that first: postern admin impersonation stop',
  })

/**
 * Restores the own session first, unless another run has started an impersonation since, and then reports what the
 * service said. `isLocal`: does not call the service.
 */
export async function stopImpersonation(
  context: FlowContext,
  account: AccountRef,
  { held, isLocal = false }: { readonly held: Impersonation; readonly isLocal?: boolean },
): Promise<FlowResult<ImpersonationInfo>> {
  const failure = isLocal ? undefined : await endAtService(context, account, held)
  const other = await context.accounts.endImpersonation(account, held)
  // The run that replaced this impersonation has already ended it and reported the outcome.
  if (other) throw alreadyImpersonatingError(other)
  if (failure) throw stillImpersonatingError(failure, held, context.now())
  return {
    sentence: `Stopped impersonating ${held.email}: you are ${account.email} again`,
    status: 'deleted',
    resource: { email: held.email, expiresAt: new Date(held.expiresAt) },
    leadsHome: true,
  }
}

/** Returns why the service did not end it. */
async function endAtService(
  context: FlowContext,
  { origin }: AccountRef,
  { token }: Impersonation,
): Promise<CliError | undefined> {
  const failure = await whyNotEnded(async () => {
    const { api } = await context.withToken(serverAt(context, origin), token)
    await api.admin.stopImpersonating({})
  })
  return failure?.code === 'YOU_ARE_NOT_IMPERSONATING_ANYONE' ? undefined : failure
}

/**
 * Ends a session, and returns why the service did not. One that is already over counts as ended, and so does one whose
 * cookies stay in the jar.
 */
export async function whyNotEnded(end: () => Promise<unknown>): Promise<CliError | undefined> {
  try {
    await end()
    return undefined
  } catch (error) {
    if (isPlanned(error)) throw error
    if (error instanceof UnkeptAnswerError && error.status < 300) return undefined
    const cliError = toCliError(error)
    return cliError.exitCode === exitCodes.signedOut ? undefined : cliError
  }
}

const stillImpersonatingError = (failure: CliError, { email, expiresAt }: Impersonation, now: number) =>
  new CliError(
    failure.exitCode,
    `Stopped here, but the service could not end the impersonation of ${email}, which stays valid there and ends ${relativeTime(new Date(expiresAt), now)}: ${failure.message}`,
    {
      code: failure.code,
      status: failure.status,
      hint: `End it there: ${commandLine('postern', 'admin', 'session', 'list', email)}`,
      cause: failure,
    },
  )

export const stopImpersonationHint = 'Back to your own session: postern admin impersonation stop'

/** Signing in again would not help: the account's own session still exists. */
export const impersonationOverError = (email: string): CliError =>
  signedOutError(`The impersonation of ${email} is over`, stopImpersonationHint)
