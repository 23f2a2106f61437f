import type { Context } from '../../../context.ts'
import type { Column } from '../../../output/cell.ts'
import { type BulkFailure, nextText, type Out } from '../../../output/out.ts'
import { areOfSeveral, isChange, type StepRow } from './step-row.ts'

const columns: readonly Column<StepRow>[] = [
  { header: 'What', value: ({ kind }) => kind },
  { header: 'Name', value: ({ input }) => input },
  { header: 'Action', value: ({ action }) => action },
  { header: 'Status', value: ({ status }) => status },
  { header: 'Changes', value: ({ changes, error }) => (error ? failureText(error) : changes.join(', ')) },
]
const ofOrganization: Column<StepRow> = { header: 'Organization', value: ({ organization }) => organization }

const failureText = ({ message, hint }: BulkFailure): string =>
  hint === null ? message : `${message}; ${nextText(hint)}`

/** Also for programs that only count changes in a dry run. */
const changedIn = (rows: readonly StepRow[]): number =>
  rows.filter(({ status }) => ['planned', 'created', 'updated', 'deleted'].includes(status)).length

/** Whether the steps are a table, which has to wait for all of them. */
const isTable = ({ mode }: Out['style']): boolean => mode === 'people' || mode === 'programs'

/** Reports steps as soon as they are known. */
export function tellSteps({ out }: Context, rows: readonly StepRow[]): void {
  if (!isTable(out.style)) for (const row of rows) out.result(row)
}

/**
 * People see what changes: what is planned as lines, what was done as a table. Programs get every step. `told`: so many
 * of them were told before.
 */
export async function reportSteps(context: Context, rows: readonly StepRow[], told = 0): Promise<void> {
  const { out } = context
  const { mode } = out.style
  tellSteps(context, rows.slice(told))
  if (!isTable(out.style)) return out.results(rows, { changed: changedIn(rows) })
  const changed = rows.filter(isChange)
  if (mode === 'people' && changed.length > 0 && changed.every(({ status }) => status === 'planned')) {
    const { planText } = await import('./plan-text.ts')
    return out.text(planText(rows, out.style.page), {})
  }
  const shown = areOfSeveral(rows) ? [...columns, ofOrganization] : columns
  await out.list(mode === 'people' ? changed : rows, shown, { empty: 'Nothing to do' })
  const same = rows.length - changed.length
  if (mode === 'people' && same > 0) out.note(`${same} unchanged`)
}
