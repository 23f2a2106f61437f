import { commandWith } from '../../../flows/command-line.ts'
import { organizationSheet } from '../../../flows/org/sheet.ts'
import { organizationDetail } from '../../details/organization.ts'
import { pick } from '../../hooks/pick.ts'
import { useOrganizationActs } from '../../hooks/use-organization-acts.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { MenuView, useMenu } from '../menu-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** The organization itself: what it is called, leaving and deleting it. */
export function SettingsPanel(props: PanelProps) {
  const { organization } = props.view
  const shell = useShell()
  const acts = useOrganizationActs()(props.view)
  const { edit, remove } = acts
  const choices = Object.values(acts)
  const entries = choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, organizationDetail(organization).facts, tabsHeight)
  return (
    <PanelPage
      {...props}
      panel="settings"
      disabledReasons={{ edit: edit.disabledReason, remove: remove.disabledReason }}
      actions={{ title: organization.name, choices }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: () => pick(shell, edit),
        remove: () => pick(shell, remove),
        'copy-id': () => shell.copy(organization.id, 'the id of the organization'),
        'copy-command': () =>
          shell.copy(commandWith(organizationSheet, [], { given: { org: organization.slug } }), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </PanelPage>
  )
}
