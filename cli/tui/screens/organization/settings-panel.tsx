import { useCallback, useMemo } from 'react'
import { namesWithin } from '../../../flows/audit/names.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { organizationActivity } from '../../../flows/org/activity.ts'
import { deleteOrganization } from '../../../flows/org/delete.ts'
import { editOrganization } from '../../../flows/org/edit.ts'
import { leaveOrganization } from '../../../flows/org/leave.ts'
import { toOrganization } from '../../../flows/org/organizations.ts'
import { organizationSheet } from '../../../flows/org/sheet.ts'
import { organizationTitle } from '../../../flows/org/titles.ts'
import { type OrganizationView, whyNotPermitted } from '../../../flows/org/view.ts'
import { organizationDetail } from '../../details/organization.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import type { Choice } from '../../state/overlays.ts'
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
    withKey('settings', 'edit', editing.choice),
    leaving.choice(targets, [organizationTitle(organization)]),
    withKey('settings', 'remove', deleting.choice(targets, details)),
    useActivity(view),
  ]
  const entries = choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, organizationDetail(organization).facts, tabsHeight)
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
        'copy-command': () =>
          shell.copy(commandWith(organizationSheet, [], { given: { org: organization.slug } }), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </PanelPage>
  )
}

/** What was done in it, for those who may change it. */
function useActivity(view: OrganizationView): Choice {
  const { open } = useShell()
  const { id: organizationId, slug } = view.organization
  const names = useMemo(() => namesWithin(view), [view])
  const command = commandWith(organizationActivity, [], { flags: ['--org', slug] })
  const ask = useCallback(
    ({ api }: Pick<TuiConnection, 'api'>) =>
      (query: object) =>
        api.audit.listOrganizationActivity({ ...query, organizationId }),
    [organizationId],
  )
  return {
    id: 'activity',
    label: 'Activity',
    hint: command,
    disabledReason: whyNotPermitted(view, 'organization:update'),
    run: () => open({ screen: 'trail', title: 'Activity', trail: { ask, command, names } }),
  }
}

const counted = ({ length }: readonly unknown[], noun: string): string => `${length} ${noun}${length === 1 ? '' : 's'}`
