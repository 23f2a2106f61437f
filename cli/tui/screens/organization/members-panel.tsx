import type { MemberView, Team } from '../../../../shared/organization.ts'
import { commandLine } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { invite } from '../../../flows/invitation/create.ts'
import { memberLabel } from '../../../flows/member/members.ts'
import { removeMember } from '../../../flows/member/remove.ts'
import { setRoles } from '../../../flows/member/set-roles.ts'
import { isOwner, type OrganizationView, whyNotChangeTeams } from '../../../flows/org/view.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { disabledReasonOf } from '../../forms/disabled-reason.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { useTeamChoices } from '../../hooks/use-team-choices.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** Who is in the organization, and what can be done with them. */
export function MembersPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const list = useList({ items: view.organization.members, idOf, textOf, height })
  const { intents, disabledReasons } = useMemberKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="members"
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={disabledReasons}
      intents={{ ...list.intents, ...intents }}
    >
      <ListView
        view={list}
        headers={['Name', 'E-mail', 'Roles', ...(view.organization.teams ? ['Team'] : []), 'Since']}
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
  const { id: organizationId, slug, teams } = view.organization
  const people = chosen.map((member) => ({ member, isOwner: isOwner(view, member.role), org: slug }))
  const removing = useAction(removeMember, { view, chosen: people, onDone: unmark })
  const roles = useForm(() => formOf(setRoles, { subjects: people, view }))
  const inviting = useForm(() => formOf(invite, { subjects: [{ organizationId, org: slug }], view }))
  const teamChoices = useTeamChoices(view, chosen, unmark)
  const team =
    disabledReasonOf({ writes: true }, shell.isReadOnly) ??
    whyNotChangeTeams(view, 'team:update') ??
    (teams?.length === 0 ? 'there is no team yet' : undefined)
  const title = chosen.length > 1 ? `${chosen.length} members` : (chosen[0]?.user.name ?? 'Nobody')
  const names = chosen.map(memberLabel)
  const toTeams = () =>
    team
      ? shell.sayDisabled('Team', team)
      : shell.show({ kind: 'picker', title: `${title}: team`, choices: teamChoices })
  const menu = () =>
    shell.show({
      kind: 'picker',
      title,
      choices: [
        roles.choice,
        { id: 'team', label: 'Put into a team', disabledReason: team, run: toTeams },
        removing.choice(people, names),
      ],
    })
  return {
    disabledReasons: {
      role: roles.disabledReason,
      team,
      remove: removing.disabledReason,
      create: inviting.disabledReason,
    },
    intents: {
      role: roles.open,
      team: toTeams,
      remove: () => removing.ask(people, names),
      create: inviting.open,
      open: menu,
      actions: menu,
      'copy-id': () => selected && shell.copy(selected.id, 'the member id'),
      'copy-command': () =>
        selected &&
        shell.copy(commandLine('postern', 'member', 'view', selected.user.email, '--org', slug), 'the command'),
    },
  }
}

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
  return { id, cells: [name, user.email, roleText(role), ...team, since], tone: isSelf ? 'good' : 'plain' }
}
