import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { about } from '../about.ts'
import type { Context } from '../context.ts'
import { refusalFrom } from '../output/failure.ts'
import type { BulkResult } from '../output/out.ts'
import { Refusal, usage } from '../refusal.ts'
import { tellWhoIsLeft } from './kept-session.ts'

interface Options {
  readonly all?: boolean
  readonly local?: boolean
}

type Outcome = 'deleted' | 'unchanged'

export const signOutCommand = (context: Context): Command =>
  about(
    new Command('sign-out')
      .alias('logout')
      .description('End the session, at the service and on this machine')
      .option('--all', 'every account of this service that is signed in on this machine')
      .option('--local', 'forget the session here, without asking the service to end it')
      .action((options: Options) => (options.all ? signOutAll(context, options) : signOut(context, options))),
    {
      form: 'change',
      writes: true,
      fields: { account: 'text?', server: 'text', input: 'text', status: 'text', error: 'any' },
      examples: ['postern sign-out', 'postern sign-out --account alice@example.com', 'postern sign-out --all --local'],
    },
  )

async function signOut(context: Context, options: Options): Promise<void> {
  const { account = null, token, from } = await context.identity()
  const { base: server } = context.settings.address.value
  const report = (sentence: string, status: Outcome) =>
    context.out.done(sentence, { status, resource: { account, server } })
  if (token !== undefined) {
    await endToken(context, token, from, options)
    return report(`Ended the session of ${from}`, 'deleted')
  }
  if (account === null) return report(`Nobody was signed in to ${server}`, 'unchanged')
  const status = await leave(context, account, options)
  report(status === 'deleted' ? `Signed out ${account}` : `${account} was not signed in`, status)
  await tellWhoIsLeft(context)
}

async function signOutAll(context: Context, options: Options): Promise<void> {
  if (context.flags.account !== undefined)
    throw usage('--all and --account cannot be combined', undefined, ['--all', '--account'])
  const { origin } = context.settings.address.value
  const entries = await context.accounts.list()
  const accounts = entries.flatMap((entry) =>
    'account' in entry && entry.origin === origin && entry.isSignedIn ? [entry.account] : [],
  )
  const results: BulkResult[] = []
  for (const account of accounts) results.push(await attempt(context, account, options))
  context.out.bulk(results)
  if (accounts.length === 0) context.out.note('Nobody was signed in')
  if (results.some(({ error }) => error)) context.exitCode = exitCodes.partial
}

async function attempt(context: Context, account: string, options: Options): Promise<BulkResult> {
  try {
    return { input: account, status: await leave(context, account, options), error: null }
  } catch (error) {
    const { code, message } = refusalFrom(error)
    return { input: account, status: 'failed', error: { code, message } }
  }
}

/** The session here goes in any case; what the service said comes after. */
async function leave(context: Context, account: string, { local }: Options): Promise<Outcome> {
  const jar = await context.accounts.open(account)
  if (!jar.isSignedIn()) return 'unchanged'
  const failure = local ? undefined : await endSession(context, jar)
  await jar.clear()
  await context.accounts.leave(account)
  if (failure) throw livesOn(failure, account, context.settings.address.value.base)
  if (local) context.out.note('The session itself lives on at the service until it expires')
  return 'deleted'
}

async function endToken(context: Context, token: string, from: string, { local }: Options): Promise<void> {
  if (local)
    throw usage(`The session comes from ${from}: there is nothing to forget here`, `unset ${from}`, ['--local'])
  const failure = await endSession(context, token)
  if (failure) throw failure
}

async function endSession(context: Context, who: Parameters<Context['connectAs']>[0]): Promise<Refusal | undefined> {
  try {
    const { api } = await context.connectAs(who)
    await api.account.signOut({})
    return undefined
  } catch (error) {
    const refusal = refusalFrom(error)
    // The service had no such session any more: that is what was asked for.
    return refusal.exitCode === exitCodes.signedOut ? undefined : refusal
  }
}

const livesOn = (failure: Refusal, account: string, server: string) =>
  new Refusal(
    failure.exitCode,
    `${account} is signed out here, but ${server} could not end the session, which lives on there: ${failure.message}`,
    {
      code: failure.code,
      status: failure.status,
      hint: 'Revoke it from another sign-in: postern session list',
      cause: failure,
    },
  )
