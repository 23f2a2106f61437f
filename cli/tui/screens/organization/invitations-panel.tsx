import type { Invitation } from '../../../../shared/organization.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import { commandLine } from '../../commands.ts'
import type { Row } from '../../components/table.tsx'
import { useAct } from '../../hooks/use-act.ts'
import { useFormOpener } from '../../hooks/use-form-opener.ts'
import { type ListView as List, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { cancelInvitations, resendInvitations } from '../../organizations/invitation-acts.ts'
import { inviteValues } from '../../organizations/member-forms.ts'
import { lacks, type OrganizationView, statusOf } from '../../organizations/view.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** Who was invited, and what became of it. */
export function InvitationsPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const list = useList({ items: view.organization.invitations, idOf, textOf, height })
  const { intents, refusals } = useInvitationKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="invitations"
      typing={list.state.isTyping ? list.typing.intents : undefined}
      refusals={refusals}
      intents={{ ...list.intents, ...intents }}
    >
      <ListView
        view={list}
        headers={['E-mail', 'Status', 'Roles', 'Ends']}
        rowOf={rowOf}
        height={height}
        isActive={isActive}
        hasMarks
        empty="Nobody was invited yet. c invites somebody."
      />
    </PanelPage>
  )
}

function useInvitationKeys(view: OrganizationView, { chosen, selected, unmark }: List<Invitation>) {
  const shell = useShell()
  const { slug } = view.organization
  const inviting = useFormOpener('invite', inviteValues(view), lacks(view, 'invitation:create'))
  const cancelling = useAct(cancelInvitations(view, chosen), unmark)
  const resending = useAct(resendInvitations(view, chosen), unmark)
  const details = chosen.map(textOf)
  const menu = () =>
    shell.show({
      kind: 'picker',
      title: chosen.length > 1 ? `${chosen.length} invitations` : (chosen[0]?.email ?? 'No invitation selected'),
      choices: selected
        ? [resending.choice(chosen, details), cancelling.choice(chosen, details), inviting.choice]
        : [inviting.choice],
    })
  return {
    refusals: { create: inviting.refusal, remove: cancelling.refusal },
    intents: {
      create: inviting.open,
      remove: () => cancelling.ask(chosen, details),
      open: menu,
      actions: menu,
      'copy-id': () => selected && shell.copy(selected.id, 'the invitation id'),
      'copy-command': () => shell.copy(commandLine('postern', 'invitation', 'list', '--org', slug), 'the command'),
    },
  }
}

const idOf = ({ id }: Invitation): string => id
const textOf = (invitation: Invitation): string =>
  `${invitation.email}  ${statusOf(invitation)}  ${roleText(invitation.role)}`

function rowOf(invitation: Invitation): Row {
  const { id, email, role, expiresAt, status } = invitation
  const ends = status === 'pending' ? relativeTime(expiresAt, Date.now()) : '-'
  const tone = status === 'pending' ? 'plain' : 'muted'
  return { id, cells: [email, statusOf(invitation), roleText(role), ends], tone }
}
