import { type AccountRef, type Impersonation, isSameAccount } from '../../accounts/accounts.ts'
import { LocalStateError } from '../../client/errors.ts'
import { CliError, localStateError, signedOutError } from '../../output/cli-error.ts'
import { stopImpersonation, whyNotEnded } from '../admin/impersonation.ts'
import { commandWith } from '../command-line.ts'
import { type Flow, type FlowResult, flag, type NoFields } from '../flow.ts'
import { type FlowConnection, type FlowContext, serverAt } from '../flow-context.ts'
import { sessionList } from '../session/sessions.ts'
import { signInLine } from './sign-in-line.ts'
import { noteCurrentAccount } from './switch.ts'

interface SignedOutAccount {
  readonly account: string
  readonly server: string
}

export const signOut: Flow<AccountRef, NoFields, unknown, SignedOutAccount> = {
  command: 'sign-out',
  summary: 'End the session, at the service and on this machine',
  title: 'Sign out',
  isForAnyone: true,
  subject: {
    finder: async ({ current, server }) => {
      const account = await current()
      if (!account) throw signedOutError(`Nobody is signed in to ${server}`, signInLine())
      return () => account
    },
    words: ({ email }) => ({ flags: flag('account', email) }),
  },
  fields: {},
  call: '/sign-out',
  answer: { account: 'text?', server: 'text' },
  examples: ['', '--account alice@example.com', '--all --local'],
  consent: { question: ([one]) => `Sign ${one?.email} out on this machine?`, forKeysOnly: true },
  run: (context, account) => signOutOf(context, account),
}

/**
 * Removes the local session in any case, and then reports the service's answer. During an impersonation, ends only
 * that. `isLocal`: does not ask the service to end the session.
 */
export async function signOutOf(
  context: FlowContext,
  account: AccountRef,
  { isLocal = false } = {},
): Promise<FlowResult<SignedOutAccount>> {
  const { email } = account
  const server = serverAt(context, account.origin)
  const resource = { account: email, server }
  const held = await context.accounts.impersonation(account)
  if (held) {
    const stopped = await stopImpersonation(context, account, { held, isLocal })
    return { ...stopped, ...(await toldToAnother(context, account, held)), resource }
  }
  const kept = await context.accounts.find(account)
  if (!kept)
    return {
      sentence: `${email} was not signed in`,
      status: 'unchanged',
      resource,
      notes: await noteCurrentAccount(context),
    }
  const failure = isLocal ? undefined : await endSession(() => context.asAccount(kept))
  await context.accounts.forget(kept).catch((fault: unknown) => {
    const isSole = !isLocal && failure === undefined && fault instanceof LocalStateError
    throw isSole ? stillKept(fault, email, server) : fault
  })
  if (failure) throw livesOn(failure, email, server)
  return { sentence: `Signed out ${email}`, status: 'deleted', resource, notes: await noteCurrentAccount(context) }
}

/** What differs if the run acts as another account than the one that impersonated. */
async function toldToAnother(
  { current }: FlowContext,
  account: AccountRef,
  { email }: Impersonation,
): Promise<Pick<FlowResult, 'sentence' | 'leadsHome'> | undefined> {
  const acting = await current()
  if (acting && isSameAccount(acting, account)) return undefined
  const sentence = `Stopped the impersonation of ${email} by ${account.email} at ${account.origin}`
  return { sentence, leadsHome: false }
}

/** Ends the session of the connection. Returns why the service did not. */
export const endSession = (connect: () => Promise<FlowConnection>): Promise<CliError | undefined> =>
  whyNotEnded(async () => (await connect()).api.account.signOut({}))

const stillKept = (fault: LocalStateError, email: string, server: string) =>
  localStateError(
    `The session of ${email} has ended at ${server}, but this machine still keeps it: ${fault.message}`,
    fault.hint,
    fault,
  )

const livesOn = (failure: CliError, email: string, server: string) =>
  new CliError(
    failure.exitCode,
    `${email} is signed out here, but ${server} could not end the session, which stays valid there: ${failure.message}`,
    {
      code: failure.code,
      status: failure.status,
      hint: `Revoke it from another sign-in: ${commandWith(sessionList)}`,
      cause: failure,
    },
  )
