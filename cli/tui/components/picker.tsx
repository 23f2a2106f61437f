import { Box } from 'ink'
import { useReducer } from 'react'
import { visible } from '../../output/filter.ts'
import { displayWidth } from '../../output/width.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { emptyList, listReducer, selectedLine, windowStart } from '../state/list-state.ts'
import type { Choice } from '../state/overlays.ts'
import { symbols } from '../theme.ts'
import { cell } from './columns.ts'
import { Dialog, dialogOverhead, dialogRoom, isTight } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, Prose, type Span } from './words.tsx'

export interface PickerProps {
  readonly title: string
  /** Said before the choices, where there is room. */
  readonly note?: string | undefined
  readonly choices: readonly Choice[]
  /** With a field to type into: what is shown narrows. */
  readonly isSearchable: boolean
  readonly width: number
  readonly height: number
  readonly onPick: (choice: Choice) => void
  readonly onClose: () => void
}

/** One of several; what is disabled stays in the list, with its reason. */
export function Picker({ title, note, choices, isSearchable, width, height, onPick, onClose }: PickerProps) {
  const [state, dispatch] = useReducer(listReducer, emptyList)
  const wanted = state.filter.toLowerCase()
  const shown = choices.filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(wanted))
  const ids = shown.map(({ id }) => id)
  const line = selectedLine(state, ids)
  const picked = shown[line]
  const lines = Math.max(1, Math.min(height - dialogOverhead(height) - (isSearchable ? 1 : 0), choices.length))
  const start = windowStart(line, lines, shown.length)
  const move = (by: number) => () => dispatch({ type: 'move', by, ids })
  useBindings(isSearchable ? 'search' : 'picker', {
    up: move(-1),
    down: move(1),
    open: () => picked && onPick(picked),
    cancel: onClose,
  })
  const labelWidth = Math.max(8, ...choices.map(({ label }) => displayWidth(visible(label))))
  return (
    <Dialog title={title} width={width} height={height}>
      {isSearchable && (
        <TextField
          label=":"
          labelWidth={1}
          value={state.filter}
          isActive
          width={dialogRoom(width)}
          onChange={(text) => dispatch({ type: 'set-filter', text })}
        />
      )}
      {note && !isTight(height) && <Prose text={note} tone="muted" />}
      <Box flexDirection="column" height={lines}>
        {shown.slice(start, start + lines).map((choice, index) => (
          <Line key={choice.id} spans={spansOf(choice, start + index === line, labelWidth)} />
        ))}
        {shown.length === 0 && (
          <Line spans={[{ text: choices.length > 0 ? 'Nothing matches' : 'Nothing here yet', tone: 'muted' }]} />
        )}
      </Box>
    </Dialog>
  )
}

const spansOf = ({ label, hint, disabledReason }: Choice, isSelected: boolean, labelWidth: number): Span[] => [
  { text: isSelected ? `${symbols.cursor} ` : '  ', tone: 'accent' },
  { text: cell(visible(label), labelWidth), tone: disabledReason ? 'muted' : 'plain', isBold: isSelected },
  { text: `  ${disabledReason ?? hint ?? ''}`, tone: disabledReason ? 'warning' : 'muted' },
]
