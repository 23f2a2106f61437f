import type { Context } from '../../../context.ts'
import type { Column } from '../../../output/cell.ts'
import type { BulkResult } from '../../../output/out.ts'
import type { Step } from './plan.ts'

/** What became of a step, or would become of it. `input`: the slug, the team's name or the address. */
export interface StepRow extends BulkResult {
  readonly kind: Step['kind']
  readonly action: Step['action']
  /** For people: `roles admin, member`, `team Ops`. */
  readonly changes: readonly string[]
}

export function rowOf(step: Step, status: string, error: BulkResult['error'] = null): StepRow {
  const { kind, name: input, action } = step
  return { input, kind, action, changes: changesOf(step), status, error }
}

/** `invite bo@example.com (roles member)` */
export function sentenceOf(step: Step): string {
  const changes = changesOf(step).join(', ')
  const thing = step.kind === 'member' || step.kind === 'invitation' ? step.name : `${step.kind} ${step.name}`
  return `${step.action} ${thing}${changes === '' ? '' : ` (${changes})`}`
}

function changesOf(step: Step): string[] {
  if (step.action === 'none' || step.action === 'delete' || step.kind === 'team') return []
  if (step.kind === 'organization') return Object.entries(step.change).flatMap(([key, value]) => partOf(key, value))
  return [
    ...(step.roles ? [`roles ${step.roles.join(', ')}`] : []),
    ...(step.team ? [`team ${step.team}`] : []),
    ...(step.kind === 'member' && step.team === null ? ['no team'] : []),
  ]
}

const partOf = (key: string, value: unknown): string[] => {
  if (value === undefined) return []
  return [value === null ? `no ${key}` : typeof value === 'string' ? `${key} ${value}` : key]
}

const columns: readonly Column<StepRow>[] = [
  { header: 'What', value: ({ kind }) => kind },
  { header: 'Name', value: ({ input }) => input },
  { header: 'Action', value: ({ action }) => action },
  { header: 'Status', value: ({ status }) => status },
  { header: 'Changes', value: ({ changes, error }) => error?.message ?? changes.join(', ') },
]

/** Also for programs that look, and do not count. */
const changedIn = (rows: readonly StepRow[]): number =>
  rows.filter(({ status }) => ['planned', 'created', 'updated', 'deleted'].includes(status)).length

/** A table for people, of what is not as it was; else every step. */
export async function reportSteps({ out }: Context, rows: readonly StepRow[]): Promise<void> {
  const { mode } = out.style
  if (mode !== 'people' && mode !== 'programs') return out.bulk(rows, { counts: { changed: changedIn(rows) } })
  const changed = rows.filter(({ action }) => action !== 'none')
  await out.list(mode === 'people' ? changed : rows, columns, { empty: 'Nothing to do' })
  const same = rows.length - changed.length
  if (mode === 'people' && same > 0) out.note(`${same} unchanged`)
}
