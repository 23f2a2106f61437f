import { escapeControls, jsonText } from '../../../output/escape-controls.ts'
import { hangingNames } from '../../../output/prose.ts'
import type { PageFormat } from '../../../output/table.ts'
import { countText } from '../../../output/words.ts'
import { areOfSeveral, type Difference, isChange, type StepRow } from './step-row.ts'

const marks = {
  '+': { color: 'green', words: 'to add' },
  '~': { color: 'yellow', words: 'to change' },
  '-': { color: 'red', words: 'to remove' },
} as const
type Mark = keyof typeof marks

function markOf({ action }: StepRow): Mark {
  if (action === 'delete') return '-'
  return action === 'create' || action === 'invite' ? '+' : '~'
}

/** A plan for people: `~ member bo@example.com: roles member → admin`, and how much of each kind. */
export function planText(rows: readonly StepRow[], page: PageFormat): string {
  const isOfSeveral = areOfSeveral(rows)
  const lines = rows.filter(isChange).map((row, index, all) => {
    const isFirst = isOfSeveral && all[index - 1]?.organization !== row.organization
    return `${isFirst ? `${page.paint('bold', escapeControls(row.organization))}\n` : ''}${lineOf(row, page)}`
  })
  return [...lines, page.paint('dim', totalsOf(rows))].join('\n')
}

function lineOf(row: StepRow, { width, paint }: PageFormat): string {
  const mark = markOf(row)
  const differences = row.differences.length > 0 ? row.differences.map(differenceText[mark]) : row.changes
  const text = `${row.kind} ${row.input}${differences.length === 0 ? '' : `: ${differences.join('; ')}`}`
  return paint(marks[mark].color, `${mark} ${hangingNames(escapeControls(text), 2, width)}`)
}

const newValue = ({ field, to }: Difference): string => `${field} ${valueText(to)}`

const differenceText = {
  '+': newValue,
  '~': ({ field, from, to }: Difference): string => `${field} ${valueText(from)} → ${valueText(to)}`,
  '-': newValue,
} as const

function valueText(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : jsonText(value)
}

function totalsOf(rows: readonly StepRow[]): string {
  const changed = rows.filter(isChange)
  const counts = (Object.keys(marks) as Mark[]).map((mark) => ({
    words: marks[mark].words,
    count: changed.filter((row) => markOf(row) === mark).length,
  }))
  return [...counts, { words: 'unchanged', count: rows.length - changed.length }]
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${countText(count)} ${words}`)
    .join(', ')
}
