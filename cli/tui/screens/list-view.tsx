import { Box } from 'ink'
import type { ReactNode } from 'react'
import { displayWidth } from '../../output/width.ts'
import { countText } from '../../output/words.ts'
import { TextField } from '../components/field.tsx'
import { Line, Prose } from '../components/primitives.tsx'
import { Table, type TableRow } from '../components/table.tsx'
import type { ListControl } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'
import { filterNameOf } from '../state/columns.ts'
import type { ListSort } from '../state/list-state.ts'
import { symbols } from '../theme.ts'

interface ListViewProps<T> {
  readonly view: ListControl<T>
  readonly rowOf: (item: T) => TableRow
  readonly height: number
  readonly isActive: boolean
  /** Whether items can be marked. */
  readonly hasMarks?: boolean
  /** Shown when the list is empty. */
  readonly empty: string
  /** Shown in place of the list that a filter asks for. */
  readonly note?: ReactNode
  /** What a filter can name besides columns. */
  readonly terms?: readonly string[] | undefined
}

/** Lines besides the list's window: headers, and the filter or position. */
export const listOverhead = 2

/** A list's window with its filter and position. */
export function ListView<T>({ view, rowOf, height, isActive, hasMarks, empty, note, terms = [] }: ListViewProps<T>) {
  const { width, isNarrow } = useShell()
  const { state, columns, items, start, line, marks } = view
  const rows = items.slice(start, start + height).map(rowOf)
  const headers = columns.map(({ title, readFirst }, index) => ({
    title: headerOf(title, index, state.sort),
    isReadFirst: readFirst ?? false,
    isHidden: isNarrow && index > 0 && !readFirst,
  }))
  const isFiltered = state.isTyping || state.filter !== ''
  return (
    <Box flexDirection="column">
      {rows.length > 0 ? (
        <Table
          headers={headers}
          rows={rows}
          start={start}
          line={line}
          marks={hasMarks ? marks : undefined}
          width={width}
          pointer={view.pointer}
          typed={view.typed}
        />
      ) : (
        (note ?? <Prose text={isFiltered ? 'Nothing matches' : empty} tone="muted" />)
      )}
      {isFiltered ? (
        <Filter view={view} isActive={isActive} width={width} terms={terms} />
      ) : (
        <Line spans={[{ text: positionOf(start, height, items.length, marks.size), tone: 'muted' }]} />
      )}
    </Box>
  )
}

interface FilterProps<T> extends Pick<ListViewProps<T>, 'view' | 'isActive'> {
  readonly width: number
  readonly terms: readonly string[]
}

/** The typed filter and the number of matches. */
function Filter<T>({ view, isActive, width, terms }: FilterProps<T>) {
  const { state, items, total, columns, marks, typing } = view
  const left = `${countText(items.length)} of ${countText(total)}${markedText(marks.size)}`
  const names = new Set([...terms, ...columns.flatMap(({ title }) => (title ? [filterNameOf(title)] : []))])
  const said = state.filter === '' ? `${left}   also ${[...names].map((name) => `${name}:`).join(' ')}` : left
  const room = Math.max(12, width - displayWidth(said) - 2)
  return (
    <Box columnGap={2} height={1} overflow="hidden">
      <Box width={room} flexShrink={0}>
        <TextField
          label="/"
          labelWidth={1}
          value={state.filter}
          isActive={isActive && state.isTyping}
          width={room}
          onChange={typing.onChange}
        />
      </Box>
      <Line spans={[{ text: said, tone: 'muted' }]} />
    </Box>
  )
}

function headerOf(title: string, index: number, sort: ListSort | undefined): string {
  if (sort?.column !== index) return title
  return `${title} ${sort.isDown ? symbols.down : symbols.up}`
}

/** `   1–14 of 61   2 marked`. Empty when everything is visible and nothing is marked. */
export function positionOf(start: number, height: number, count: number, marked = 0): string {
  const window =
    count > height
      ? `   ${countText(start + 1)}–${countText(Math.min(count, start + height))} of ${countText(count)}`
      : ''
  return window + markedText(marked)
}

const markedText = (count: number): string => (count > 0 ? `   ${countText(count)} marked` : '')
