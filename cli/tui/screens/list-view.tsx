import { Box } from 'ink'
import { TextField } from '../components/field.tsx'
import { Table, type TableRow } from '../components/table.tsx'
import { Line } from '../components/words.tsx'
import type { ListControl } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'

export interface ListViewProps<T> {
  readonly view: ListControl<T>
  readonly headers: readonly string[]
  readonly rowOf: (item: T) => TableRow
  readonly height: number
  readonly isActive: boolean
  /** Whether things can be marked here. */
  readonly hasMarks?: boolean
  /** Said when there is nothing at all. */
  readonly empty: string
}

/** Lines that a list needs beside its window: its headers, and its filter or position. */
export const listOverhead = 2

/** A list's window, its filter, and where in the whole the window is. */
export function ListView<T>({ view, headers, rowOf, height, isActive, hasMarks, empty }: ListViewProps<T>) {
  const { width, isNarrow } = useShell()
  const { state, items, start, line, typing } = view
  const rows = items.map(rowOf)
  const isFiltered = state.isTyping || state.filter !== ''
  return (
    <Box flexDirection="column">
      {rows.length > 0 ? (
        <Table
          headers={isNarrow ? headers.slice(0, 1) : headers}
          rows={rows}
          start={start}
          height={height}
          line={line}
          marks={hasMarks ? state.marks : undefined}
          width={width}
        />
      ) : (
        <Line spans={[{ text: isFiltered ? 'Nothing matches' : empty, tone: 'muted' }]} />
      )}
      {isFiltered ? (
        <TextField
          label="/"
          labelWidth={1}
          value={state.filter}
          isActive={isActive && state.isTyping}
          width={width}
          onChange={typing.onChange}
        />
      ) : (
        <Line spans={[{ text: positionOf(start, height, rows.length, state.marks.size), tone: 'muted' }]} />
      )}
    </Box>
  )
}

function positionOf(start: number, height: number, count: number, marked: number): string {
  const window = count > height ? `   ${start + 1}–${Math.min(count, start + height)} of ${count}` : ''
  return window + (marked > 0 ? `   ${marked} marked` : '')
}
