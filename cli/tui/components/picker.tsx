import { Box } from 'ink'
import { useMemo, useReducer } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import { useActKeys, useBindings } from '../hooks/use-bindings.ts'
import { useMouse } from '../hooks/use-mouse.ts'
import { keyLabel } from '../keymap/key-text.ts'
import { rankMatches } from '../search/ranking.ts'
import { emptyList, listReducer, selectedLine, windowStart } from '../state/list-state.ts'
import type { Choice } from '../state/shell-state.ts'
import { symbols } from '../theme.ts'
import { fitCell } from './columns.ts'
import { Dialog, dialogOverhead, dialogRoom, hasTightHeight, titleWithRange } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, markMatches, Prose, type Span } from './primitives.tsx'

export interface PickerProps {
  readonly title: string
  /** Shown above the choices if there is room. */
  readonly note?: string | undefined
  readonly choices: readonly Choice[]
  /** With an input line that narrows the choices. */
  readonly isSearchable: boolean
  readonly width: number
  readonly height: number
  readonly onPick: (choice: Choice) => void
  readonly onClose: () => void
}

/** Lets the user pick one of several choices. Disabled ones stay listed with their reason. */
export function Picker({ title, note, choices, isSearchable, width, height, onPick, onClose }: PickerProps) {
  const [state, dispatch] = useReducer(listReducer, emptyList)
  const shown = useMemo(
    () => (isSearchable ? rankMatches(choices, state.filter) : choices),
    [isSearchable, choices, state.filter],
  )
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
  const rows = useMouse(true, {
    press: (row) => {
      const choice = shown[start + row]
      if (choice && start + row === line) onPick(choice)
      else if (choice) move(start + row - line)()
    },
    wheel: (by) => move(by)(),
  })
  useActKeys(isSearchable ? [] : choices, onPick)
  const widths = useMemo(() => widthsOf(choices), [choices])
  const content = Math.max(displayWidth(escapeControls(note ?? '')), widths.whole)
  const room = dialogRoom(width, content)
  return (
    <Dialog
      title={titleWithRange(title, { start, shown: lines, count: shown.length })}
      width={width}
      height={height}
      content={content}
    >
      {isSearchable && (
        <TextField
          label=":"
          labelWidth={1}
          value={state.filter}
          isActive
          width={room}
          onChange={(text) => dispatch({ type: 'set-filter', text })}
        />
      )}
      {note && !hasTightHeight(height) && <Prose text={note} tone="muted" />}
      <Box ref={rows} flexDirection="column" height={lines}>
        {shown.slice(start, start + lines).map((choice, index) => (
          <Line
            key={choice.id}
            spans={markMatches(spansOf(choice, start + index === line, { ...widths, room }), state.filter)}
          />
        ))}
        {shown.length === 0 && <Nothing isFiltered={choices.length > 0} />}
      </Box>
    </Dialog>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <Line spans={[{ text: isFiltered ? 'Nothing matches' : 'Nothing here yet', tone: 'muted' }]} />
)

interface Widths {
  readonly label: number
  /** Zero when no choice has a key of its own. */
  readonly key: number
  readonly whole: number
}

const hintOf = ({ hint = '', disabledReason }: Choice): string => disabledReason ?? hint

function widthsOf(choices: readonly Choice[]): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => displayWidth(escapeControls(text))))
  const label = Math.max(8, widest(choices.map((choice) => choice.label)))
  const key = widest(choices.map((choice) => (choice.key === undefined ? '' : keyLabel(choice.key))))
  return { label, key, whole: 2 + label + (key > 0 ? key + 2 : 0) + 2 + widest(choices.map(hintOf)) }
}

function spansOf(
  choice: Choice,
  isSelected: boolean,
  { label, key, room }: Widths & { readonly room: number },
): Span[] {
  const { disabledReason } = choice
  const name = fitCell(escapeControls(choice.label), label)
  const act = key > 0 ? `  ${fitCell(choice.key === undefined ? '' : keyLabel(choice.key), key)}` : ''
  const hint = `  ${hintOf(choice)}`
  if (isSelected)
    return [
      { text: fitCell(`${symbols.cursor} ${name}${act}${escapeControls(hint)}`, room), isBold: true, isInverse: true },
    ]
  return [
    { text: `  ${name}`, tone: disabledReason ? 'muted' : 'plain' },
    { text: act, tone: 'accent' },
    { text: hint, tone: disabledReason ? 'warning' : 'muted' },
  ]
}
