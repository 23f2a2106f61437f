import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Context } from '../../../context.ts'
import { CliError } from '../../../output/cli-error.ts'
import { endsBulk, tryAction } from '../../bulk.ts'
import type { Applier } from './applier.ts'
import type { Step } from './plan.ts'
import { reportSteps, rowOf, type StepRow, sentenceOf } from './step-rows.ts'

const statuses = {
  create: 'created',
  invite: 'created',
  update: 'updated',
  resend: 'updated',
  delete: 'deleted',
  none: 'unchanged',
} as const

/**
 * Does the steps one after the other and reports each. One that fails does not keep the next from being tried, unless
 * nothing can follow; then exit 13, or the failure itself where nothing at all was done.
 */
export async function performSteps(context: Context, steps: readonly Step[], applier: Applier): Promise<void> {
  const { rows, last, isEnded } = await tryAll(context, steps, applier)
  const isNothingDone = !rows.some(({ status }) => done.includes(status))
  if (last && isNothingDone && (isEnded || steps.filter(isChange).length === 1)) throw last
  await reportSteps(context, rows)
  if (!last) return
  context.out.note('What failed is left as it was: see why, and apply the document again')
  context.exitCode = exitCodes.partial
}

async function tryAll(context: Context, steps: readonly Step[], applier: Applier) {
  const total = steps.filter(isChange).length
  const rows: StepRow[] = []
  let last: CliError | undefined
  let isEnded = false
  for (const step of steps) {
    const progress = `${rows.filter(isChange).length + 1}/${total}`
    const error: CliError | undefined = isEnded ? undefined : await tryStep(context, applier, step, progress)
    rows.push(resultOf(step, isEnded, error))
    last = error ?? last
    isEnded ||= endsBulk(error) || (error !== undefined && isFoundation(step))
  }
  return { rows, last, isEnded }
}

async function tryStep(
  { out }: Context,
  applier: Applier,
  step: Step,
  progress: string,
): Promise<CliError | undefined> {
  if (isChange(step)) out.note(`${progress} ${sentenceOf(step)}`)
  const outcome = await tryAction(() => applier.perform(step))
  return outcome instanceof CliError ? outcome : undefined
}

const done = ['created', 'updated', 'deleted']
const isChange = ({ action }: Pick<Step, 'action'>): boolean => action !== 'none'
const isFoundation = ({ kind, action }: Step): boolean => kind === 'organization' && action === 'create'

function resultOf(step: Step, isEnded: boolean, error: CliError | undefined): StepRow {
  if (error) return rowOf(step, 'failed', { code: error.code, message: error.message })
  return rowOf(step, isEnded && isChange(step) ? 'skipped' : statuses[step.action])
}
