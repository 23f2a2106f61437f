import { useMemo } from 'react'
import type { MemberView, Team } from '../../../../shared/organization.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { invite } from '../../../flows/invitation/create.ts'
import { memberLabel } from '../../../flows/member/members.ts'
import { memberView } from '../../../flows/member/view.ts'
import type { OrganizationView } from '../../../flows/org/view.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { memberDetail } from '../../details/member.ts'
import { useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useMemberActs } from '../../hooks/use-member-acts.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { Column } from '../../state/columns.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** Who is in the organization, and what can be done with them. */
export function MembersPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const columns = useMemo(() => columnsOf(view), [view])
  const list = useList({ items: view.organization.members, idOf, textOf, height, columns })
  const { actions, intents, disabledReasons } = useMemberKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="members"
      detail={list.selected && memberDetail(view, list.selected)}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <ListView
        view={list}
        rowOf={(member) => rowOf(member, view)}
        height={height}
        isActive={isActive}
        hasMarks
        empty="Nobody"
      />
    </PanelPage>
  )
}

function useMemberKeys(view: OrganizationView, { chosen, selected, unmark }: ListControl<MemberView>) {
  const shell = useShell()
  const { id: organizationId, slug } = view.organization
  const acts = useMemberActs(view, chosen, { onDone: unmark, onRemoved: unmark })
  const inviting = useForm(() => formOf(invite, { subjects: [{ organizationId, org: slug }], view }))
  const { title, choices } = acts
  return {
    disabledReasons: { ...acts.disabledReasons, create: inviting.disabledReason },
    actions: { title, choices: [...choices, withKey('members', 'create', inviting.choice)] },
    intents: {
      ...acts.intents,
      create: inviting.open,
      open: () =>
        selected && shell.open({ screen: 'member', subject: selected.id, title: selected.user.name, organizationId }),
      'copy-id': () => selected && shell.copy(selected.id, 'the member id'),
      'copy-command': () =>
        selected &&
        shell.copy(
          commandWith(memberView, [], { given: { user: selected.user.email }, flags: ['--org', slug] }),
          'the command',
        ),
    },
  }
}

const columnsOf = ({ organization: { teams } }: OrganizationView): readonly Column<MemberView>[] => [
  { title: 'Name', value: ({ user }) => user.name },
  { title: 'E-mail', value: addressOf },
  { title: 'Roles', value: ({ role }) => roleText(role) },
  ...(teams ? [{ title: 'Team', value: (member: MemberView) => teamOf(teams, member) }] : []),
  { title: 'Since', value: ({ createdAt }) => createdAt },
]
/** That of a machine leads nowhere. */
const addressOf = ({ user }: MemberView): string => (user.isMachine ? 'machine' : user.email)
const idOf = ({ id }: MemberView): string => id
const textOf = (member: MemberView): string => `${memberLabel(member)} ${roleText(member.role)}`
const teamOf = (teams: readonly Team[], { teamId }: MemberView): string =>
  teams.find(({ id }) => id === teamId)?.name ?? '-'

function rowOf(member: MemberView, { self, organization: { teams } }: OrganizationView): TableRow {
  const { id, user, role, createdAt } = member
  const isSelf = id === self?.id
  const team = teams ? [teamOf(teams, member)] : []
  const since = relativeTime(createdAt, Date.now())
  const name = isSelf ? `${user.name} (you)` : user.name
  return { id, cells: [name, addressOf(member), roleText(role), ...team, since], tone: isSelf ? 'good' : 'plain' }
}
