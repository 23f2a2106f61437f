import { Box } from 'ink'
import { useContext } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import type { ListPointer } from '../hooks/use-list.ts'
import { PageMouseContext, useMouse } from '../hooks/use-mouse.ts'
import { symbols, type Tone } from '../theme.ts'
import { fitCell, gapWidth, listWidths, shrinkWidths } from './columns.ts'
import { markMatches } from './matches.ts'
import { Line, type Span } from './primitives.tsx'

export interface TableRow {
  readonly id: string
  /** A single cell takes the whole line, and no column of a list grows for it. */
  readonly cells: readonly string[]
  readonly tone?: Tone
}

interface TableHeader {
  readonly title: string
  readonly isReadFirst: boolean
  readonly isHidden: boolean
}

interface TableProps {
  /** Undefined for a menu, which shows all cells. */
  readonly headers?: readonly TableHeader[]
  /** The visible rows. Only they decide on the widths. */
  readonly rows: readonly TableRow[]
  /** The line of the first visible row. */
  readonly start: number
  /** The selected line. */
  readonly line: number
  /** Undefined when rows cannot be marked here. */
  readonly marks?: ReadonlySet<string> | undefined
  readonly width: number
  readonly pointer: ListPointer
  /** The typed text whose letters are marked. */
  readonly typed?: string
}

const gap = ' '.repeat(gapWidth)
/** Columns before the first cell, where no row can be marked. */
export const menuGutter = 2

/**
 * The visible window of a list or menu, one line per row. The selected line is inverted, and has a symbol too when no
 * row can be marked.
 */
export function Table({ headers, rows, start, line, marks, width, pointer, typed = '' }: TableProps) {
  const texts = rows.map(({ cells }) => cells.map(escapeControls))
  const gutter = marks ? 3 : menuGutter
  const widths = widthsOf(headers, texts, width - gutter)
  const box = useRowMouse({ start, line }, pointer)
  const join = (cells: readonly string[]) =>
    cells.length === 1
      ? (cells[0] ?? '')
      : cells.flatMap((text, index) => (widths[index] ? [fitCell(text, widths[index])] : [])).join(gap)
  return (
    <Box flexDirection="column">
      {headers && (
        <Line spans={[{ text: ' '.repeat(gutter) + join(headers.map(({ title }) => title)), tone: 'muted' }]} />
      )}
      <Box ref={box} flexDirection="column">
        {rows.map((row, index) => (
          <Line
            key={row.id}
            spans={markMatches(
              spansOf(row, fitCell(join(texts[index] ?? []), width - gutter), start + index === line, marks),
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

type Texts = readonly (readonly string[])[]

function widthsOf(headers: readonly TableHeader[] | undefined, texts: Texts, room: number): readonly number[] {
  if (headers) {
    const inColumns = texts.filter((cells) => cells.length > 1)
    const columns = headers.map(({ isReadFirst, isHidden, title }, index) => ({
      isReadFirst,
      natural: isHidden ? 0 : Math.max(displayWidth(title), widthOf(inColumns, index)),
    }))
    return listWidths(columns, room)
  }
  return menuWidths(texts, room)
}

/** Widths of the columns of a menu. */
export function menuWidths(texts: Texts, room: number): readonly number[] {
  const all = texts[0]?.map((_, index) => widthOf(texts, index)) ?? []
  return shrinkWidths(all, room - gapWidth * (all.length - 1))
}

const widthOf = (texts: Texts, index: number): number =>
  Math.max(0, ...texts.map((cells) => displayWidth(cells[index] ?? '')))

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
