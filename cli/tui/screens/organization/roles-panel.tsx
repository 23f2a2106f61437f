import { useMemo } from 'react'
import { commandWith } from '../../../flows/command-line.ts'
import { type OrganizationView, permissionsOf } from '../../../flows/org/view.ts'
import { roleView } from '../../../flows/role/view.ts'
import type { TableRow } from '../../components/table.tsx'
import { roleDetail } from '../../details/role.ts'
import { useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import type { Column } from '../../state/columns.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** What each role may do. */
export function RolesPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const textOf = (role: string): string => `${role} ${permissionsOf(view, role)}`
  const columns = useMemo(() => columnsOf(view), [view])
  const list = useList({ items: Object.keys(view.roles), idOf: String, textOf, height, columns })
  const own = view.self?.role ?? []
  const rowOf = (role: string): TableRow => ({
    id: role,
    cells: [own.includes(role) ? `${role} (yours)` : role, permissionsOf(view, role)],
    tone: own.includes(role) ? 'good' : 'plain',
  })
  const { selected } = list
  const { id: organizationId, slug } = view.organization
  const command = commandWith(roleView, [], { given: { role: selected }, flags: ['--org', slug] })
  const open = () => selected && shell.open({ screen: 'role', subject: selected, title: selected, organizationId })
  return (
    <PanelPage
      {...props}
      panel="roles"
      detail={selected ? roleDetail(view, selected) : undefined}
      list={list}
      actions={{
        title: selected ?? '',
        choices: selected ? [{ id: 'view', label: 'Who holds it', hint: command, run: () => open() }] : [],
      }}
      intents={{
        open,
        'copy-id': () => selected && shell.copy(selected, 'the name of the role'),
        'copy-command': () => selected && shell.copy(command, 'the command'),
      }}
    >
      <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="No roles" />
    </PanelPage>
  )
}

const columnsOf = (view: OrganizationView): readonly Column<string>[] => [
  { title: 'Role', value: String },
  { title: 'May', value: (role) => permissionsOf(view, role) },
]
