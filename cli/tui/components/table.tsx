import { Box } from 'ink'
import { useContext } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import type { ListPointer } from '../hooks/use-list.ts'
import { PageMouseContext, useMouse } from '../hooks/use-mouse.ts'
import { symbols, type Tone } from '../theme.ts'
import { fitCell, gapWidth, shrinkWidths, widthsKeepingFirst } from './columns.ts'
import { Line, markMatches, type Span } from './primitives.tsx'

export interface TableRow {
  readonly id: string
  readonly cells: readonly string[]
  readonly tone?: Tone
}

export interface TableProps {
  /** Undefined for a table without headers, which shows all cells. */
  readonly headers?: readonly string[]
  /** All rows, so that the widths stay the same while the window scrolls. */
  readonly rows: readonly TableRow[]
  readonly start: number
  readonly height: number
  readonly line: number
  /** Undefined when rows cannot be marked here. */
  readonly marks?: ReadonlySet<string> | undefined
  readonly width: number
  /** How many columns keep their width before the others get any room. By default the widest columns shrink first. */
  readonly readFirst?: number | undefined
  readonly pointer: ListPointer
  /** The typed text whose letters are marked. */
  readonly typed?: string
}

const gap = ' '.repeat(gapWidth)

/**
 * The visible window of a list, one line per row. The selected line is inverted, and has a symbol too when no row can
 * be marked.
 */
export function Table({
  headers,
  rows,
  start,
  height,
  line,
  marks,
  width,
  readFirst,
  pointer,
  typed = '',
}: TableProps) {
  const count = headers?.length ?? rows[0]?.cells.length ?? 0
  const texts = rows.map(({ cells }) => cells.slice(0, count).map(escapeControls))
  const gutter = marks ? 3 : 2
  const natural = naturalWidths([...(headers ? [headers] : []), ...texts], count)
  const room = width - gutter
  const widths =
    readFirst === undefined
      ? shrinkWidths(natural, room - gapWidth * (count - 1))
      : widthsKeepingFirst(natural, Math.min(readFirst, count), room)
  const box = useRowMouse({ start, line }, pointer)
  const join = (cells: readonly string[]) =>
    cells.flatMap((text, index) => (widths[index] ? [fitCell(text, widths[index])] : [])).join(gap)
  return (
    <Box flexDirection="column">
      {headers && <Line spans={[{ text: ' '.repeat(gutter) + join(headers), tone: 'muted' }]} />}
      <Box ref={box} flexDirection="column">
        {rows.slice(start, start + height).map((row, index) => (
          <Line
            key={row.id}
            spans={markMatches(
              spansOf(row, fitCell(join(texts[start + index] ?? []), width - gutter), start + index === line, marks),
              typed,
            )}
          />
        ))}
      </Box>
    </Box>
  )
}

/** A click selects a row, a click on the selected one opens it, and the wheel moves the selection. */
function useRowMouse({ start, line }: Pick<TableProps, 'start' | 'line'>, { select, move }: ListPointer) {
  const { isActive, open } = useContext(PageMouseContext)
  return useMouse(isActive, {
    press: (row) => (start + row === line ? open?.() : select(start + row)),
    wheel: move,
  })
}

const naturalWidths = (lines: readonly (readonly string[])[], count: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    // `Math.max(...)` with one argument per row could exceed the engine's limit.
    lines.reduce((widest, cells) => Math.max(widest, displayWidth(cells[index] ?? '')), 0),
  )

function spansOf(
  { id, tone }: TableRow,
  text: string,
  isSelected: boolean,
  marks: ReadonlySet<string> | undefined,
): Span[] {
  const mark = marks?.has(id) ? symbols.marked : ' '
  // Ignores the row's tone: a dim one would make the selection stand out less than other rows.
  if (isSelected)
    return [{ text: `${symbols.cursor}${marks ? `${mark} ` : ' '}${text}`, isBold: true, isInverse: true }]
  return [
    { text: marks ? ` ${mark} ` : '  ', tone: 'warning' },
    { text: text.trimEnd(), tone: tone ?? 'plain' },
  ]
}
