import { Box } from 'ink'
import { visible } from '../../output/filter.ts'
import { displayWidth } from '../../output/width.ts'
import { symbols, type Tone } from '../theme.ts'
import { cell, gapWidth, keepFirst, shrinkWidths } from './columns.ts'
import { Line, type Span } from './primitives.tsx'

export interface TableRow {
  readonly id: string
  readonly cells: readonly string[]
  readonly tone?: Tone
}

export interface TableProps {
  /** Undefined: no line of headers, all cells are shown. */
  readonly headers?: readonly string[]
  /** All rows: widths stay the same while the window moves. */
  readonly rows: readonly TableRow[]
  readonly start: number
  readonly height: number
  readonly line: number
  /** Undefined: nothing is ever marked here. */
  readonly marks?: ReadonlySet<string> | undefined
  readonly width: number
  /** How many columns are whole before the others have any room. None: the widest give way. */
  readonly readFirst?: number | undefined
}

const gap = ' '.repeat(gapWidth)

/** The window of a list: one line a thing, the selected one whole in reverse, and told by a sign where nothing else is. */
export function Table({ headers, rows, start, height, line, marks, width, readFirst }: TableProps) {
  const count = headers?.length ?? rows[0]?.cells.length ?? 0
  const texts = rows.map(({ cells }) => cells.slice(0, count).map(visible))
  const gutter = marks ? 3 : 2
  const natural = naturalWidths([...(headers ? [headers] : []), ...texts], count)
  const room = width - gutter
  const widths =
    readFirst === undefined
      ? shrinkWidths(natural, room - gapWidth * (count - 1))
      : keepFirst(natural, Math.min(readFirst, count), room)
  const join = (cells: readonly string[]) =>
    cells.flatMap((text, index) => (widths[index] ? [cell(text, widths[index])] : [])).join(gap)
  return (
    <Box flexDirection="column">
      {headers && <Line spans={[{ text: ' '.repeat(gutter) + join(headers), tone: 'muted' }]} />}
      {rows.slice(start, start + height).map((row, index) => (
        <Line
          key={row.id}
          spans={spansOf(row, cell(join(texts[start + index] ?? []), width - gutter), start + index === line, marks)}
        />
      ))}
    </Box>
  )
}

const naturalWidths = (lines: readonly (readonly string[])[], count: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    // One argument for each row would be more than a call can take.
    lines.reduce((widest, cells) => Math.max(widest, displayWidth(cells[index] ?? '')), 0),
  )

function spansOf(
  { id, tone }: TableRow,
  text: string,
  isSelected: boolean,
  marks: ReadonlySet<string> | undefined,
): Span[] {
  const mark = marks?.has(id) ? symbols.marked : ' '
  // Its own tone would have it stand out less than another row whose tone is stronger.
  if (isSelected)
    return [{ text: `${symbols.cursor}${marks ? `${mark} ` : ' '}${text}`, isBold: true, isInverse: true }]
  return [
    { text: marks ? ` ${mark} ` : '  ', tone: 'warning' },
    { text: text.trimEnd(), tone: tone ?? 'plain' },
  ]
}
