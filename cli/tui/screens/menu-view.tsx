import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Fact } from '../../flows/resource-fields.ts'
import { Facts } from '../components/facts.tsx'
import { Line } from '../components/primitives.tsx'
import { Table } from '../components/table.tsx'
import { type ListControl, useList } from '../hooks/use-list.ts'
import { runChoice, useShell } from '../hooks/use-shell.ts'
import { keyLabel } from '../keymap/key-text.ts'
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
  readonly height: number
  readonly open: () => void
}

/**
 * The state of a menu below a list of facts. In a small window the facts are cut first, then the menu scrolls. `taken`
 * counts the lines above.
 */
export function useMenu(entries: readonly MenuEntry[], all: readonly Fact[], taken = 0): Menu {
  const shell = useShell()
  const { height: room, isNarrow } = shell
  const left = room - taken - (isNarrow ? 0 : 1)
  const facts = all.slice(0, Math.max(1, left - entries.length))
  const most = left - Math.max(1, facts.length)
  // Leaves a line for the position when the menu scrolls.
  const height = Math.max(1, entries.length > most ? most - 1 : entries.length)
  const list = useList({ items: entries, idOf, textOf: idOf, height })
  return { list, entries, facts, height, open: () => list.selected && runChoice(shell, list.selected) }
}

/** The position in a menu that scrolls. */
export function MenuPosition({ menu: { list, entries, height } }: { readonly menu: Menu }) {
  const text = positionOf(list.start, height, entries.length)
  return text === '' ? null : <Line spans={[{ text, tone: 'muted' }]} />
}

const idOf = ({ id }: MenuEntry): string => id

export interface MenuViewProps {
  readonly menu: Menu
  /** Shown when there are no facts. */
  readonly note: ReactNode
}

export function MenuView({ menu, note }: MenuViewProps) {
  const { list, entries, facts, height } = menu
  const { width, isNarrow } = useShell()
  const hasKeys = entries.some(({ key }) => key !== undefined)
  return (
    <Box flexDirection="column" rowGap={isNarrow ? 0 : 1}>
      {facts.length > 0 ? <Facts facts={facts} /> : <Box flexDirection="column">{note}</Box>}
      <Box flexDirection="column">
        <Table
          rows={entries.slice(list.start, list.start + height).map((entry) => ({
            id: entry.id,
            cells: isNarrow ? [entry.label] : cellsOf(entry, hasKeys),
            tone: entry.disabledReason ? 'muted' : 'plain',
          }))}
          start={list.start}
          line={list.line}
          pointer={list.pointer}
          width={width}
        />
        <MenuPosition menu={menu} />
      </Box>
    </Box>
  )
}

const cellsOf = ({ label, hint, key, disabledReason }: MenuEntry, hasKeys: boolean): readonly string[] => [
  label,
  ...(hasKeys ? [key === undefined ? '' : keyLabel(key)] : []),
  disabledReason ?? hint,
]
