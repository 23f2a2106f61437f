import { Argument, Command } from 'commander'
import { type ExitCode, exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation } from '../../../shared/organization.ts'
import { describeCommand, withCompleter } from '../../argv/command-metadata.ts'
import { scopedHint } from '../../argv/scoped-hint.ts'
import type { Context } from '../../context.ts'
import { pendingAddresses, pickSent, sentInvitations, toListedInvitation } from '../../flows/invitation/invitations.ts'
import { invitationList } from '../../flows/invitation/list.ts'
import { transientError } from '../../flows/transient-error.ts'
import { pause } from '../../flows/waiting.ts'
import type { BulkResult } from '../../output/out.ts'
import { commandLine } from '../../output/shell-line.ts'
import { bulkFields } from '../bulk.ts'
import { expandStdinLines } from '../bulk-lines.ts'
import { outageText } from '../endless.ts'
import { flowContextOf, keepOrganization } from '../flow-context.ts'
import { needsOfReading } from '../needs.ts'

/** Milliseconds. */
const [usual, interval, longestOutage] = [600_000, 2000, 30_000]

export const invitationWaitCommand = (context: Context): Command =>
  describeCommand(
    new Command('wait')
      .description(
        'Wait until invitations are answered, 10 min or --timeout at most; exit 5 if one was not accepted, 8 if one is still pending',
      )
      .addArgument(
        withCompleter(
          new Argument('[invitation...]', 'ids or addresses, or - for stdin; default: all that are pending'),
          pendingAddresses,
        ),
      )
      .action((words: readonly string[]) => waitForAnswers(context, words)),
    {
      form: 'bulk',
      fields: bulkFields,
      ...needsOfReading(invitationList),
      globalFlags: ['--timeout'],
      ends: ['forbidden', 'pending'],
      examples: ['ben@example.com --timeout 1h', '--org acme --ndjson'],
    },
  )

interface Awaited {
  readonly input: string
  readonly id: string
  readonly email: string
}

/** Reports each answer when it is known; at the end, also of an interruption, those that are still pending. */
async function waitForAnswers(context: Context, words: readonly string[]): Promise<void> {
  const { host, out } = context
  const results: BulkResult[] = []
  const report = (result: BulkResult) => {
    results.push(result)
    out.result(result)
  }
  const flowContext = keepOrganization(flowContextOf(context))
  await flowContext.signedIn()
  const inputs = await expandStdinLines(host, words)
  const look = () => sentInvitations(flowContext)
  const first = await look()
  let left = chosen(first, inputs)
  host.heedTermination?.()
  const settle = (sent: readonly Invitation[]) => {
    const states = left.map((one) => ({ ...one, status: statusIn(sent, one, flowContext.now()) }))
    for (const state of states) if (state.status !== 'pending') report(resultOf(context, state))
    left = states.filter(({ status }) => status === 'pending')
    return left.length === 0
  }
  try {
    if (!settle(first)) await untilSettled(context, look, settle)
  } finally {
    for (const one of left) report(resultOf(context, { ...one, status: 'pending' }))
    out.results(results)
  }
  if (results.length === 0) out.note('No invitation is pending')
  context.exitCode = exitCodeOf(results)
}

/** Looks until all are answered or the time is over. Only an outage that lasts until then ends it. */
async function untilSettled(
  { host, out, settings: { timeout } }: Context,
  look: () => Promise<readonly Invitation[]>,
  settle: (sent: readonly Invitation[]) => boolean,
): Promise<void> {
  const longest = timeout.from === '--timeout' ? timeout.value : usual
  const end = performance.now() + longest
  out.note(`Waiting for answers, ${longest / 1000} s at most`)
  let [wait, isOut] = [interval, false]
  for (;;) {
    const rest = end - performance.now()
    await pause(Math.min(wait, Math.max(rest, 0)), host.signal)
    const seen = await look().catch(transientError)
    const fault = 'exitCode' in seen ? seen : undefined
    if (isOut !== (fault !== undefined)) out.warn(outageText(fault))
    isOut = fault !== undefined
    wait = isOut ? Math.min(wait * 2, longestOutage) : interval
    if (!('exitCode' in seen) && settle(seen)) return
    if (performance.now() < end) continue
    if (fault) throw fault
    return
  }
}

const awaited = ({ id, email }: Invitation, input = email): Awaited => ({ input, id, email })

function chosen(sent: readonly Invitation[], inputs: readonly string[]): readonly Awaited[] {
  if (inputs.length > 0) return inputs.map((input) => awaited(pickSent(sent, input), input))
  return sent.filter(({ status }) => status === 'pending').map((one) => awaited(one))
}

type Answer = Exclude<Invitation['status'], 'pending'> | 'expired'
type State = Awaited & { readonly status: Answer | 'pending' }

function statusIn(sent: readonly Invitation[], { id }: Awaited, now: number): State['status'] {
  const { expired, status } = toListedInvitation(pickSent(sent, id), now)
  return expired ? 'expired' : status
}

const refusals: Readonly<Record<Exclude<State['status'], 'accepted'>, readonly [message: string, verb: string]>> = {
  rejected: ['Rejected', 'create'],
  canceled: ['Canceled', 'create'],
  expired: ['Expired', 'resend'],
  pending: ['Not answered yet', 'resend'],
}

function resultOf({ flags }: Context, { input, id, email, status }: State): BulkResult {
  if (status === 'accepted') return { input, status, id, error: null }
  const [message, verb] = refusals[status]
  const hint = commandLine('postern', 'invitation', verb, verb === 'create' ? email : input)
  return { input, status, id, error: { code: status.toUpperCase(), message, hint: scopedHint(hint, flags) } }
}

function exitCodeOf(results: readonly BulkResult[]): ExitCode {
  if (results.some(({ status }) => status === 'pending')) return exitCodes.pending
  return results.every(({ error }) => error === null) ? exitCodes.done : exitCodes.forbidden
}
