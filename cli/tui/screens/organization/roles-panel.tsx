import { permissionsOf } from '../../../flows/org/view.ts'
import type { TableRow } from '../../components/table.tsx'
import { useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** What each role may do. */
export function RolesPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const textOf = (role: string): string => `${role} ${permissionsOf(view, role)}`
  const list = useList({ items: Object.keys(view.roles), idOf: String, textOf, height })
  const own = view.self?.role ?? []
  const rowOf = (role: string): TableRow => ({
    id: role,
    cells: [own.includes(role) ? `${role} (yours)` : role, permissionsOf(view, role)],
    tone: own.includes(role) ? 'good' : 'plain',
  })
  const typing = list.state.isTyping ? list.typing.intents : undefined
  return (
    <PanelPage {...props} panel="roles" typing={typing} intents={list.intents}>
      <ListView
        view={list}
        headers={['Role', 'May']}
        rowOf={rowOf}
        height={height}
        isActive={isActive}
        empty="No roles"
      />
    </PanelPage>
  )
}
