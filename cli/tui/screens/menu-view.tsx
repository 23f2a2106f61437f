import { Box } from 'ink'
import type { ReactNode } from 'react'
import { type Fact, Facts } from '../components/facts.tsx'
import { Table } from '../components/table.tsx'
import { type ListControl, useList } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'
import { keyLabel } from '../keys/key-text.ts'

/** Something that can be done from a screen; with a reason against it, it stays listed and says why not. */
export interface MenuEntry {
  readonly id: string
  readonly label: string
  readonly hint: string
  /** What does it without the menu. */
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

/** Facts, and below them what can be done; where there is little room the facts are cut, then the list scrolls. `taken`: lines above. */
export function useMenu(entries: readonly MenuEntry[], all: readonly Fact[], taken = 0): Menu {
  const { height: room, isNarrow, sayDisabled } = useShell()
  const left = room - taken - (isNarrow ? 0 : 1)
  const facts = all.slice(0, Math.max(1, left - entries.length))
  const height = Math.max(1, Math.min(entries.length, left - Math.max(1, facts.length)))
  const list = useList({ items: entries, idOf, textOf: idOf, height })
  const open = () => {
    const { selected } = list
    if (selected?.disabledReason) sayDisabled(selected.label, selected.disabledReason)
    else selected?.run()
  }
  return { list, entries, facts, height, open }
}

const idOf = ({ id }: MenuEntry): string => id

export interface MenuViewProps {
  readonly menu: Menu
  /** In place of facts that are not there. */
  readonly note: ReactNode
}

export function MenuView({ menu: { list, entries, facts, height }, note }: MenuViewProps) {
  const { width, isNarrow } = useShell()
  const hasKeys = entries.some(({ key }) => key !== undefined)
  return (
    <Box flexDirection="column" rowGap={isNarrow ? 0 : 1}>
      {facts.length > 0 ? <Facts facts={facts} /> : <Box flexDirection="column">{note}</Box>}
      <Table
        rows={entries.map((entry) => ({
          id: entry.id,
          cells: isNarrow ? [entry.label] : cellsOf(entry, hasKeys),
          tone: entry.disabledReason ? 'muted' : 'plain',
        }))}
        start={list.start}
        height={height}
        line={list.line}
        width={width}
      />
    </Box>
  )
}

const cellsOf = ({ label, hint, key, disabledReason }: MenuEntry, hasKeys: boolean): readonly string[] => [
  label,
  ...(hasKeys ? [key === undefined ? '' : keyLabel(key)] : []),
  disabledReason ?? hint,
]
