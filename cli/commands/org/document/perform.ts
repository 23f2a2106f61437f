import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Context } from '../../../context.ts'
import { endsAll } from '../../../flows/run-several.ts'
import { CliError, withDone } from '../../../output/cli-error.ts'
import type { BulkFailure } from '../../../output/out.ts'
import { failureOf, isInterruption, tryAction, unknownOutcomeError } from '../../bulk.ts'
import type { Applier } from './applier.ts'
import type { Step } from './plan.ts'
import { reportSteps, tellSteps } from './step-report.ts'
import { areOfSeveral, isChange, type OrganizationStep, rowOf, type StepRow, sentenceOf } from './step-row.ts'

/** A step, and who carries it out. */
export interface ApplierStep extends OrganizationStep {
  readonly applier: Applier
}

const statuses = {
  create: 'created',
  rename: 'updated',
  invite: 'created',
  update: 'updated',
  resend: 'updated',
  delete: 'deleted',
  none: 'unchanged',
} as const

/**
 * Runs the steps one after the other and reports each. After a failed step the others are still tried, unless they
 * depend on it. Then exit 13, or the failure itself if nothing was done. An interruption is thrown once it is reported
 * what was done and what was not.
 */
export async function performSteps(context: Context, steps: readonly ApplierStep[]): Promise<void> {
  const report: Report = { rows: [], told: 0 }
  context.host.heedTermination?.()
  try {
    await finish(context, report, await tryAll(context, steps, report))
  } catch (error) {
    if (isInterruption(error)) await reportInterrupted(context, steps, report)
    throw error
  }
}

/** The results so far, of which so many were told. */
interface Report {
  readonly rows: StepRow[]
  told: number
}

/** The interrupted step may be done. Those after it were not tried. */
async function reportInterrupted(
  context: Context,
  steps: readonly ApplierStep[],
  { rows, told }: Report,
): Promise<void> {
  const left = steps.slice(rows.length).map((one, index) => {
    const error = index === 0 && isChange(one.step) ? failureOf(context, unknownOutcomeError()) : undefined
    return resultOf(one, !error, error)
  })
  await reportSteps(context, [...rows, ...left], told)
  context.out.note('Apply the document again to do what is left')
}

interface Tried {
  readonly last: CliError | undefined
  /** Nothing more can be done. */
  readonly isEnded: boolean
}

async function finish(context: Context, { rows, told }: Report, { last, isEnded }: Tried): Promise<void> {
  const isUntouched = context.changes.length === 0 && !rows.some(isDone)
  if (last && isUntouched && (isEnded || rows.filter(isChange).length === 1)) throw last
  await reportSteps(context, rows, told)
  if (!last) return
  context.out.note('Fix the cause, and apply the document again')
  context.exitCode = exitCodes.partial
}

/** Adds the result of each step to the report. */
async function tryAll(context: Context, steps: readonly ApplierStep[], report: Report): Promise<Tried> {
  const progressOf = countSteps(steps)
  const ended = new Set<string>()
  let last: CliError | undefined
  for (const one of steps) {
    const { organization, step } = one
    const isSkipped = endsAll(last) || ended.has(organization)
    const error = isSkipped ? undefined : await tryStep(context, one, progressOf(one))
    addRow(context, report, resultOf(one, isSkipped, error && failureOf(context, error)))
    last = error ?? last
    if (error && isFoundation(step)) ended.add(organization)
  }
  return { last, isEnded: endsAll(last) || steps.every(({ organization }) => ended.has(organization)) }
}

/** Nothing is told before something is done: until then a failure can be the whole answer. */
function addRow(context: Context, report: Report, row: StepRow): void {
  report.rows.push(row)
  if (report.told === 0 && !isDone(row)) return
  tellSteps(context, report.rows.slice(report.told))
  report.told = report.rows.length
}

/** `2/5`, followed by the organization if there are several. */
function countSteps(steps: readonly ApplierStep[]): (one: ApplierStep) => string {
  const changes = steps.filter(({ step }) => isChange(step))
  const isOfSeveral = areOfSeveral(steps)
  return (one) => `${changes.indexOf(one) + 1}/${changes.length}${isOfSeveral ? ` ${one.organization}:` : ''}`
}

async function tryStep(
  { out, changes }: Context,
  { step, applier }: ApplierStep,
  progress: string,
): Promise<CliError | undefined> {
  if (isChange(step)) out.note(`${progress} ${sentenceOf(step)}`)
  const before = changes.length
  const outcome = await tryAction(() => applier.perform(step))
  // A step can take several calls, of which some were done.
  return outcome instanceof CliError ? withDone(outcome, changes.slice(before)) : undefined
}

const isDone = ({ status }: StepRow): boolean => ['created', 'updated', 'deleted'].includes(status)
const isFoundation = ({ kind, action }: Step): boolean => kind === 'organization' && action === 'create'

function resultOf(one: ApplierStep, isSkipped: boolean, error: BulkFailure | undefined): StepRow {
  if (error) return rowOf(one, 'failed', error)
  return rowOf(one, isSkipped && isChange(one.step) ? 'skipped' : statuses[one.step.action])
}
