import type { FullOrganization } from '../../../../shared/organization.ts'
import { commandLine } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { deleteOrganization } from '../../../flows/org/delete.ts'
import { editOrganization } from '../../../flows/org/edit.ts'
import { leaveOrganization } from '../../../flows/org/leave.ts'
import { toOrganization } from '../../../flows/org/organizations.ts'
import { organizationTitle } from '../../../flows/org/titles.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { fullTime } from '../../text/session-text.ts'
import { MenuView, useMenu } from '../menu-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** The organization itself: what it is called, leaving and deleting it. */
export function SettingsPanel(props: PanelProps) {
  const { view } = props
  const shell = useShell()
  const { organization } = view
  const targets = [toOrganization(organization)]
  const toList = () => shell.go('orgs')
  const editing = useForm(() => formOf(editOrganization, { subjects: targets, view }))
  const leaving = useAction(leaveOrganization, { view, chosen: targets, onDone: toList })
  const deleting = useAction(deleteOrganization, { view, chosen: targets, onDone: toList })
  const details = [`${counted(organization.members, 'member')}, ${counted(organization.teams ?? [], 'team')}`]
  const choices = [
    editing.choice,
    leaving.choice(targets, [organizationTitle(organization)]),
    deleting.choice(targets, details),
  ]
  const entries = choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, factsOf(organization), tabsHeight)
  return (
    <PanelPage
      {...props}
      panel="settings"
      disabledReasons={{ edit: editing.disabledReason, remove: deleting.disabledReason }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: editing.open,
        remove: () => deleting.ask(targets, details),
        actions: () => shell.show({ kind: 'picker', title: organization.name, choices }),
        'copy-id': () => shell.copy(organization.id, 'the id of the organization'),
        'copy-command': () => shell.copy(commandLine('postern', 'org', 'view', organization.slug), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </PanelPage>
  )
}

const factsOf = ({ name, slug, logo, metadata, createdAt, id }: FullOrganization) => [
  { label: 'Name', value: name },
  { label: 'Slug', value: slug },
  { label: 'Logo', value: logo ?? '-' },
  { label: 'Metadata', value: metadata === null ? '-' : JSON.stringify(metadata) },
  { label: 'Since', value: fullTime(createdAt) },
  { label: 'Id', value: id },
]

const counted = ({ length }: readonly unknown[], noun: string): string => `${length} ${noun}${length === 1 ? '' : 's'}`
