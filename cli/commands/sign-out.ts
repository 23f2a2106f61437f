import type { Command } from 'commander'
import type { AccountRef } from '../accounts/accounts.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { endSession, signOut, signOutOf } from '../flows/auth/sign-out.ts'
import { keptHere } from '../flows/auth/switch.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { usageError } from '../output/cli-error.ts'
import type { BulkResult } from '../output/out.ts'
import { bulkFields, failureOf, runBulk, tryAction } from './bulk.ts'
import { orPlan, plannedAnswer, statusOf } from './dry-run.ts'
import { aboutFlow, bareFlowCommand, reportResult } from './flow-command.ts'
import { flowContextOf } from './flow-context.ts'

interface Options {
  readonly all?: boolean
  readonly local?: boolean
}

const livesOn = 'The session itself stays valid at the service until it expires'

export const signOutCommand = (context: Context): Command => {
  const command = bareFlowCommand(signOut)
    .alias('logout')
    .option('--all', 'every account of this service that is signed in on this machine')
    .option('--local', 'remove the session from this machine without ending it at the service')
    .action((options: Options) => (options.all ? signOutAll(context, options) : signOutOne(context, options)))
  return describeCommand(command, {
    ...aboutFlow(signOut),
    ends: ['partial'],
    globalFlags: ['--account'],
    others: [{ ...plannedAnswer(bulkFields), by: '--all' }, plannedAnswer()],
  })
}

async function signOutOne(context: Context, { local: isLocal = false }: Options): Promise<void> {
  const flowContext = flowContextOf(context)
  const account = await flowContext.current()
  if (!account) return signOutNobody(context, flowContext, isLocal)
  const done = await orPlan(() => signOutOf(flowContext, account, { isLocal }))
  if (isLocal && done.status === 'deleted') context.out.note(livesOn)
  reportResult(context, done)
}

async function signOutNobody(context: Context, flowContext: FlowContext, isLocal: boolean): Promise<void> {
  const { token, from } = await context.identity()
  const { server } = flowContext
  const resource = { account: null, server }
  if (token === undefined)
    return reportResult(context, { sentence: `Nobody was signed in to ${server}`, status: 'unchanged', resource })
  if (isLocal)
    throw usageError(`The session comes from ${from}: nothing is stored on this machine`, `unset ${from}`, ['--local'])
  const end = async () => {
    const failure = await endSession(flowContext.signedIn)
    if (failure) throw failure
    return { sentence: `Ended the session of ${from}`, status: 'deleted' as const, resource }
  }
  reportResult(context, await orPlan(end))
}

async function signOutAll(context: Context, { local: isLocal = false }: Options): Promise<void> {
  if (context.flags.account !== undefined)
    throw usageError('--all and --account cannot be combined', undefined, ['--all', '--account'])
  const flowContext = flowContextOf(context)
  const accounts = (await keptHere(flowContext)).filter(({ isSignedIn }) => isSignedIn)
  if (isLocal && accounts.length > 0) context.out.note(livesOn)
  if (accounts.length === 0) context.out.note('Nobody was signed in')
  const inputs = accounts.map((account) => ({ input: account.email, account }))
  await runBulk(context, inputs, ({ account }) => outcomeOf(context, flowContext, account, isLocal))
}

/** A failure is one of the results: the account is signed out here in any case, and so are the others. */
async function outcomeOf(
  context: Context,
  flowContext: FlowContext,
  account: AccountRef,
  isLocal: boolean,
): Promise<Pick<BulkResult, 'status' | 'error'>> {
  const isActing = (await flowContext.accounts.impersonation(account)) !== undefined
  const leave = () => orPlan(() => signOutOf(flowContext, account, { isLocal }))
  const outcome = await tryAction(async () => {
    if (isActing) await leave()
    return leave()
  })
  if (!('exitCode' in outcome)) return { ...statusOf(outcome), error: null }
  return { status: 'failed', error: failureOf(context, outcome) }
}
