import type { Invitation } from '../../../../shared/organization.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { cancelInvitation } from '../../../flows/invitation/cancel.ts'
import { invite } from '../../../flows/invitation/create.ts'
import { invitationList } from '../../../flows/invitation/list.ts'
import { resendInvitation } from '../../../flows/invitation/resend.ts'
import { type OrganizationView, statusOf } from '../../../flows/org/view.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { invitationDetail } from '../../details/invitation.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { Column } from '../../state/columns.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** Who was invited, and what became of it. */
export function InvitationsPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const list = useList({ items: view.organization.invitations, idOf, textOf, height, columns })
  const { actions, intents, disabledReasons } = useInvitationKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="invitations"
      detail={list.selected && invitationDetail(view, list.selected)}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <ListView
        view={list}
        rowOf={rowOf}
        height={height}
        isActive={isActive}
        hasMarks
        empty="Nobody was invited yet. c invites somebody."
      />
    </PanelPage>
  )
}

function useInvitationKeys(view: OrganizationView, { chosen, selected, unmark }: ListControl<Invitation>) {
  const shell = useShell()
  const { id: organizationId, slug } = view.organization
  const sent = chosen.map((invitation) => ({ invitation, org: slug }))
  const inviting = useForm(() => formOf(invite, { subjects: [{ organizationId, org: slug }], view }))
  const cancelling = useAction(cancelInvitation, { view, chosen: sent, onDone: unmark })
  const resending = useAction(resendInvitation, { view, chosen: sent, onDone: unmark })
  const details = chosen.map(textOf)
  const create = withKey('invitations', 'create', inviting.choice)
  const actions = {
    title: chosen.length > 1 ? `${chosen.length} invitations` : (chosen[0]?.email ?? 'No invitation selected'),
    choices: selected
      ? [resending.choice(sent, details), withKey('invitations', 'remove', cancelling.choice(sent, details)), create]
      : [create],
  }
  return {
    disabledReasons: { create: inviting.disabledReason, remove: cancelling.disabledReason },
    actions,
    intents: {
      create: inviting.open,
      remove: () => cancelling.ask(sent, details),
      open: () => shell.show({ kind: 'picker', ...actions }),
      'copy-id': () => selected && shell.copy(selected.id, 'the invitation id'),
      'copy-command': () => shell.copy(commandWith(invitationList, [], { flags: ['--org', slug] }), 'the command'),
    },
  }
}

const columns: readonly Column<Invitation>[] = [
  { title: 'E-mail', value: ({ email }) => email },
  { title: 'Status', value: statusOf },
  { title: 'Roles', value: ({ role }) => roleText(role) },
  { title: 'Expires', value: ({ expiresAt }) => expiresAt },
]
const idOf = ({ id }: Invitation): string => id
const textOf = (invitation: Invitation): string =>
  `${invitation.email}  ${statusOf(invitation)}  ${roleText(invitation.role)}`

function rowOf(invitation: Invitation): TableRow {
  const { id, email, role, expiresAt, status } = invitation
  const ends = status === 'pending' ? relativeTime(expiresAt, Date.now()) : '-'
  const tone = status === 'pending' ? 'plain' : 'muted'
  return { id, cells: [email, statusOf(invitation), roleText(role), ends], tone }
}
