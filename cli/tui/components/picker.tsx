import { Box } from 'ink'
import { useEffect, useMemo, useReducer } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import { useBeginning } from '../hooks/use-beginning.ts'
import { useActKeys, useBindings } from '../hooks/use-bindings.ts'
import { useMouse } from '../hooks/use-mouse.ts'
import { useHeldUntil } from '../hooks/use-typed-ahead.ts'
import { keyLabel } from '../keymap/key-text.ts'
import { lookAhead } from '../search/look-ahead.ts'
import { rankMatches, searchedNames } from '../search/ranking.ts'
import { emptyList, listReducer, selectedLine, windowStart } from '../state/list-state.ts'
import type { Choice } from '../state/shell-state.ts'
import { symbols } from '../theme.ts'
import { fitCell, gapWidth } from './columns.ts'
import { Dialog, dialogOverhead, dialogRoom, hasTightHeight, titleWithRange } from './dialog.tsx'
import { TextField } from './field.tsx'
import { markMatches } from './matches.ts'
import { Line, Prose, type Span } from './primitives.tsx'
import { keptFor, Reason } from './reason.tsx'

interface PickerProps {
  readonly title: string
  /** Shown above the choices if there is room. */
  readonly note?: string | undefined
  readonly choices: readonly Choice[]
  /** The choices are still to come. */
  readonly isLoading: boolean | undefined
  /** With an input line that narrows the choices. */
  readonly isSearchable: boolean
  readonly width: number
  readonly height: number
  readonly onPick: (choice: Choice) => void
  readonly onClose: () => void
}

/** Lets the user pick one of several choices. Disabled ones stay listed with their reason. */
export function Picker({ title, note, choices, isLoading, isSearchable, width, height, onPick, onClose }: PickerProps) {
  const [state, dispatch] = useReducer(listReducer, { ...emptyList, isTyping: isSearchable })
  const shown = useMatches({ choices, isSearchable }, state.filter)
  const ids = shown.map(({ id }) => id)
  useBeginning(state, dispatch, ids)
  const line = selectedLine(state, ids)
  const picked = shown[line]
  const open = useChoosing({ isSearchable, isLoading }, () => picked && onPick(picked))
  const whole = useMemo(() => naturalWidths(choices), [choices])
  const content = Math.max(shownWidth(note ?? ''), whole.label + besideLabel(whole))
  const room = dialogRoom(width, content)
  const free = height - dialogOverhead(height) - (isSearchable ? 1 : 0)
  const cut = useMemo(() => cutReasons(choices, whole, room), [choices, whole, room])
  const kept = keptFor(cut, picked?.disabledReason, { width: room, height: free, rows: choices.length })
  const lines = Math.max(1, Math.min(free - kept, choices.length))
  const start = windowStart(line, lines, shown.length)
  const move = (by: number) => () => dispatch({ type: 'move', by, ids })
  useBindings(isSearchable ? 'search' : 'picker', {
    up: move(-1),
    down: move(1),
    'page-up': move(-lines),
    'page-down': move(lines),
    open,
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
  const visible = shown.slice(start, start + lines)
  const widths = widthsOf(visible, room)
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
        {visible.map((choice, index) => (
          <Line
            key={choice.id}
            spans={markMatches(spansOf(choice, start + index === line, { ...widths, room }), state.filter)}
          />
        ))}
        {shown.length === 0 && <Nothing isLoading={isLoading} isFiltered={choices.length > 0} />}
      </Box>
      <Reason text={cut.find((reason) => reason === picked?.disabledReason)} width={room} height={kept} />
    </Dialog>
  )
}

function useMatches({ choices, isSearchable }: Pick<PickerProps, 'choices' | 'isSearchable'>, filter: string) {
  useEffect(() => (isSearchable ? lookAhead(choices, searchedNames) : undefined), [isSearchable, choices])
  return useMemo(() => (isSearchable ? rankMatches(choices, filter) : choices), [isSearchable, choices, filter])
}

/** In a search, what is still to come may match better. */
const useChoosing = (
  { isSearchable, isLoading }: Pick<PickerProps, 'isSearchable' | 'isLoading'>,
  choose: () => void,
) => useHeldUntil(!(isSearchable && isLoading), choose)

function Nothing({ isLoading, isFiltered }: { readonly isLoading: boolean | undefined; readonly isFiltered: boolean }) {
  const text = isFiltered ? 'Nothing matches' : 'Nothing here yet'
  return <Line spans={[{ text: isLoading ? 'Loading…' : text, tone: 'muted' }]} />
}

interface Widths {
  readonly label: number
  /** Zero when no choice has a key of its own. */
  readonly key: number
  /** Zero when there is no room for hints that say something. */
  readonly hint: number
}

const hintOf = ({ hint = '', disabledReason }: Choice): string => disabledReason ?? hint
const keyOf = ({ key }: Choice): string => (key === undefined ? '' : keyLabel(key))

/** Of thousands: an object for each of them would take longer than its widths. */
function naturalWidths(choices: readonly Choice[]): Widths {
  const widest = { label: 8, key: 0, hint: 0 }
  for (const choice of choices) {
    const { label, key, hint } = widthsOfOne(choice)
    if (label > widest.label) widest.label = label
    if (key > widest.key) widest.key = key
    if (hint > widest.hint) widest.hint = hint
  }
  return widest
}

const shownWidth = (text: string): number => displayWidth(escapeControls(text))

const knownWidths = new WeakMap<Choice, Widths>()

function widthsOfOne(choice: Choice): Widths {
  const known = knownWidths.get(choice)
  if (known) return known
  const made = { label: shownWidth(choice.label), key: shownWidth(keyOf(choice)), hint: shownWidth(hintOf(choice)) }
  knownWidths.set(choice, made)
  return made
}

const cursorWidth = 2
const besideLabel = ({ key, hint }: Omit<Widths, 'label'>): number =>
  cursorWidth + (key > 0 ? key + gapWidth : 0) + (hint > 0 ? hint + gapWidth : 0)

/** The reasons that the rows do not show to the end. */
function cutReasons(choices: readonly Choice[], whole: Widths, room: number): readonly string[] {
  const widths = widthsIn(whole, room)
  const left = widths.hint > 0 ? room - widths.label - besideLabel({ key: widths.key, hint: 0 }) - gapWidth : 0
  const reasons = new Set(choices.flatMap(({ disabledReason }) => disabledReason ?? []))
  return [...reasons].filter((reason) => shownWidth(reason) > left)
}

/** A shorter hint would say nothing. Where there is more room, a name leaves it a third. */
const [leastHint, wideRoom] = [12, 56]

/**
 * The widths for the visible choices. Names come before hints, but where there is room for both, a long name does not
 * take the hints of all.
 */
export const widthsOf = (visible: readonly Choice[], room: number): Widths => widthsIn(naturalWidths(visible), room)

function widthsIn({ label, key, hint }: Widths, room: number): Widths {
  const free = room - besideLabel({ key, hint: 0 })
  const most = room < wideRoom || hint === 0 ? free : Math.max(free - hint - gapWidth, Math.floor((free * 2) / 3))
  const left = free - Math.min(label, most) - gapWidth
  if (left >= Math.min(hint, leastHint)) return { label: Math.min(label, most), key, hint: Math.min(hint, left) }
  return { label: Math.min(label, free), key, hint: 0 }
}

function spansOf(
  choice: Choice,
  isSelected: boolean,
  { label, key, hint: hintWidth, room }: Widths & { readonly room: number },
): Span[] {
  const { disabledReason } = choice
  const name = fitCell(escapeControls(choice.label), label)
  const act = key > 0 ? `  ${fitCell(keyOf(choice), key)}` : ''
  const hint = hintWidth > 0 ? `  ${hintOf(choice)}` : ''
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
