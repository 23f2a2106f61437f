import type { MemberView, Team } from '../../../../shared/organization.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import { refusalOf } from '../../acts.ts'
import { commandLine } from '../../commands.ts'
import type { Row } from '../../components/table.tsx'
import { useAct } from '../../hooks/use-act.ts'
import { useFormOpener } from '../../hooks/use-form-opener.ts'
import { type ListView as List, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { useTeamChoices } from '../../hooks/use-team-choices.ts'
import { nameOf, removeMembers } from '../../organizations/member-acts.ts'
import { inviteValues, roleValues } from '../../organizations/member-forms.ts'
import { lacks, type OrganizationView, refuseRoleChange, refuseTeams } from '../../organizations/view.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** Who is in the organization, and what can be done with them. */
export function MembersPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const list = useList({ items: view.organization.members, idOf, textOf, height })
  const { intents, refusals } = useMemberKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="members"
      typing={list.state.isTyping ? list.typing.intents : undefined}
      refusals={refusals}
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

function useMemberKeys(view: OrganizationView, { chosen, selected, unmark }: List<MemberView>) {
  const shell = useShell()
  const { slug, teams } = view.organization
  const removing = useAct(removeMembers(view, chosen), unmark)
  const roles = useFormOpener('member-roles', roleValues(view, chosen), refuseRoleChange(view, chosen))
  const inviting = useFormOpener('invite', inviteValues(view), lacks(view, 'invitation:create'))
  const teamChoices = useTeamChoices(view, chosen, unmark)
  const team =
    refusalOf({ isWrite: true }, shell.isReadOnly) ??
    refuseTeams(view, 'team:update') ??
    (teams?.length === 0 ? 'there is no team yet' : undefined)
  const title = chosen.length > 1 ? `${chosen.length} members` : (chosen[0]?.user.name ?? 'Nobody')
  const names = chosen.map(nameOf)
  const toTeams = () =>
    team ? shell.refuse('Team', team) : shell.show({ kind: 'picker', title: `${title}: team`, choices: teamChoices })
  const menu = () =>
    shell.show({
      kind: 'picker',
      title,
      choices: [
        roles.choice,
        { id: 'team', label: 'Put into a team', refusal: team, run: toTeams },
        removing.choice(chosen, names),
      ],
    })
  return {
    refusals: { role: roles.refusal, team, remove: removing.refusal, create: inviting.refusal },
    intents: {
      role: roles.open,
      team: toTeams,
      remove: () => removing.ask(chosen, names),
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
const textOf = (member: MemberView): string => `${nameOf(member)} ${roleText(member.role)}`
const teamOf = (teams: readonly Team[], { teamId }: MemberView): string =>
  teams.find(({ id }) => id === teamId)?.name ?? '-'

function rowOf(member: MemberView, { self, organization: { teams } }: OrganizationView): Row {
  const { id, user, role, createdAt } = member
  const isSelf = id === self?.id
  const team = teams ? [teamOf(teams, member)] : []
  const since = relativeTime(createdAt, Date.now())
  const name = isSelf ? `${user.name} (you)` : user.name
  return { id, cells: [name, user.email, roleText(role), ...team, since], tone: isSelf ? 'good' : 'plain' }
}
