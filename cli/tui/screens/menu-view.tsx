import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Fact } from '../../flows/resource-fields.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import { Facts, hasCutValue } from '../components/facts.tsx'
import { Line } from '../components/primitives.tsx'
import { allDetails } from '../components/reading.tsx'
import { keptFor, Reason } from '../components/reason.tsx'
import { menuGutter, menuWidths, Table } from '../components/table.tsx'
import { type ListControl, useList } from '../hooks/use-list.ts'
import { runChoice, type Shell, useShell } from '../hooks/use-shell.ts'
import { keyLabel } from '../keymap/key-text.ts'
import { windowStart } from '../state/list-state.ts'
import { positionOf } from './list-view.tsx'

/** An action of a screen's menu. A disabled one stays listed with its reason. */
export interface MenuEntry {
  readonly id: string
  readonly label: string
  readonly hint: string
  /** The key that does the same without the menu. */
  readonly key?: string | undefined
  readonly disabledReason?: string | undefined
  readonly run: () => void
}

export interface Menu {
  readonly list: ListControl<MenuEntry>
  readonly entries: readonly MenuEntry[]
  readonly facts: readonly Fact[]
  /** How many facts have no room. */
  readonly cut: number
  readonly height: number
  /** Lines below for the reason of a disabled entry, if any is cut. */
  readonly kept: number
  /** The reason itself. */
  readonly reason: string | undefined
  readonly open: () => void
}

/**
 * The state of a menu below a list of facts. In a small window the facts are cut first, then the menu scrolls. `taken`
 * counts the lines above. Of the entries `told` the whole reason is shown below, and with them all facts can be opened.
 */
export function useMenu(
  own: readonly MenuEntry[],
  all: readonly Fact[],
  taken = 0,
  told: readonly MenuEntry[] = [],
): Menu {
  const shell = useShell()
  const { height: room, width, isNarrow } = shell
  const left = room - taken - (isNarrow ? 0 : 1)
  const reasons = cutReasons(told, shell)
  const keptBy = (reason: string | undefined, rows: number) =>
    keptFor(reasons, reason, { width, height: left - 1, rows })
  // Whichever entry is selected: otherwise one would come and go with the selection.
  const most = Math.max(0, ...reasons.map((reason) => keptBy(reason, own.length)))
  const isTooLong = all.length > 1 && all.length + own.length > left - most
  const isCut = told.length > 0 && (isTooLong || hasCutValue(all, width))
  const entries = isCut ? [...own, allEntry(all, shell)] : own
  const rows = entries.length
  const list = useList({ items: entries, idOf, textOf: idOf, height: fitted(rows, left, all).height })
  const selected = list.selected?.disabledReason
  const kept = keptBy(selected, rows)
  const fit = fitted(rows, left - kept, all)
  return {
    list: { ...list, start: windowStart(list.line, fit.height, rows) },
    entries,
    ...fit,
    cut: isCut ? all.length - fit.facts.length : 0,
    kept,
    reason: reasons.find((reason) => reason === selected),
    open: () => list.selected && runChoice(shell, list.selected),
  }
}

const allEntry = (facts: readonly Fact[], { show }: Shell): MenuEntry => ({
  id: 'all-details',
  label: allDetails,
  hint: 'in full, with those that have no room here',
  run: () => show({ kind: 'details', facts }),
})

function fitted(rows: number, left: number, all: readonly Fact[]): Pick<Menu, 'facts' | 'height'> {
  const facts = all.slice(0, Math.max(1, left - rows))
  const most = left - Math.max(1, facts.length)
  // Leaves a line for the position when the menu scrolls.
  return { facts, height: Math.max(1, rows > most ? most - 1 : rows) }
}

/** The position in a menu that scrolls. The entry that opens all facts may be out of sight then. */
export function MenuPosition({ menu: { list, entries, height, cut } }: { readonly menu: Menu }) {
  const position = positionOf(list.start, height, entries.length)
  const more = cut > 0 ? `   ${cut} more details` : ''
  return position === '' ? null : <Line spans={[{ text: position + more, tone: 'muted' }]} />
}

const idOf = ({ id }: MenuEntry): string => id

interface MenuViewProps {
  readonly menu: Menu
  /** Shown when there are no facts. */
  readonly note: ReactNode
}

export function MenuView({ menu, note }: MenuViewProps) {
  const { list, entries, facts, height, kept, reason } = menu
  const { width, isNarrow } = useShell()
  const cellsOf = cellsIn(entries, isNarrow)
  return (
    <Box flexDirection="column" rowGap={isNarrow ? 0 : 1}>
      {facts.length > 0 ? <Facts facts={facts} /> : <Box flexDirection="column">{note}</Box>}
      <Box flexDirection="column">
        <Table
          rows={entries.slice(list.start, list.start + height).map((entry) => ({
            id: entry.id,
            cells: cellsOf(entry),
            tone: entry.disabledReason ? 'muted' : 'plain',
          }))}
          start={list.start}
          line={list.line}
          pointer={list.pointer}
          width={width}
        />
        <MenuPosition menu={menu} />
        {kept > 0 && <Reason text={reason} width={width} height={kept} />}
      </Box>
    </Box>
  )
}

function cellsIn(entries: readonly MenuEntry[], isNarrow: boolean): (entry: MenuEntry) => readonly string[] {
  const hasKeys = entries.some(({ key }) => key !== undefined)
  return ({ label, hint, key, disabledReason }) =>
    isNarrow ? [label] : [label, ...(hasKeys ? [key === undefined ? '' : keyLabel(key)] : []), disabledReason ?? hint]
}

/** The reasons that the rows do not show to the end. */
function cutReasons(entries: readonly MenuEntry[], { width, isNarrow }: Pick<Shell, 'width' | 'isNarrow'>): string[] {
  const reasons = entries.flatMap(({ disabledReason }) => disabledReason ?? [])
  if (isNarrow) return reasons
  const cells = entries.map((entry) => cellsIn(entries, false)(entry).map(escapeControls))
  const left = menuWidths(cells, width - menuGutter).at(-1) ?? 0
  return reasons.filter((reason) => displayWidth(escapeControls(reason)) > left)
}
