import { Box } from 'ink'
import { useMemo } from 'react'
import type { MemberView, Team } from '../../../../shared/organization.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { memberLabel } from '../../../flows/member/members.ts'
import { membersOfTeam, type OrganizationView } from '../../../flows/org/view.ts'
import { addTeamMember } from '../../../flows/team/add-member.ts'
import { teamMemberList } from '../../../flows/team/list-members.ts'
import { removeTeamMember } from '../../../flows/team/remove-member.ts'
import { roleText } from '../../../output/role-text.ts'
import { memberDetail } from '../../details/member.ts'
import { pick } from '../../hooks/pick.ts'
import { useAction } from '../../hooks/use-action.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useOrganization } from '../../hooks/use-organization.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { Column } from '../../state/columns.ts'
import type { Choice } from '../../state/overlays.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'

export interface TeamProps extends ScreenProps {
  readonly organizationId: string
  readonly subject: string
}

/** Who is in a team. */
export function TeamScreen({ isActive, organizationId, subject }: TeamProps) {
  const { data, isLoading, shownError } = useOrganization(organizationId)
  const team = data?.organization.teams?.find(({ id }) => id === subject)
  if (data && team) return <Members view={data} team={team} isActive={isActive} />
  return (
    <Page screen="organization" isActive={isActive} isLoading={isLoading} intents={{}}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="This team is gone" />
    </Page>
  )
}

interface MembersProps extends ScreenProps {
  readonly view: OrganizationView
  readonly team: Team
}

function Members({ view, team, isActive }: MembersProps) {
  const shell = useShell()
  const height = shell.height - listOverhead
  const members = useMemo(() => membersOfTeam(view, team.id), [view, team.id])
  const list = useList({ items: members, idOf, textOf: memberLabel, height, columns })
  const { actions, intents, disabledReasons } = useKeys({ view, team }, list)
  return (
    <Page
      screen="team"
      isActive={isActive}
      detail={list.selected && memberDetail(view, list.selected)}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <Box flexDirection="column">
        <ListView
          view={list}
          rowOf={({ id, user, role }) => ({ id, cells: [user.name, user.email, roleText(role)] })}
          height={height}
          isActive={isActive}
          hasMarks
          empty="Nobody is in this team yet. c adds a member."
        />
      </Box>
    </Page>
  )
}

type Placed = Omit<MembersProps, 'isActive'>

function useKeys({ view, team }: Placed, { chosen, selected, unmark }: ListControl<MemberView>) {
  const shell = useShell()
  const adding = useAdding({ view, team })
  const taking = useAction(removeTeamMember, { view, onDone: unmark })
  const { id: organizationId, slug } = view.organization
  const [subjects, names] = [placedIn({ view, team }, chosen), chosen.map(memberLabel)]
  const open = () =>
    selected && shell.open({ screen: 'member', subject: selected.id, title: selected.user.name, organizationId })
  const actions = {
    title: chosen.length === 1 ? (chosen[0]?.user.name ?? '') : team.name,
    choices: [
      withKey('team', 'create', adding),
      ...(selected ? [withKey('team', 'remove', taking.choice(subjects, names))] : []),
    ],
  }
  const command = commandWith(teamMemberList, [], { given: { team: team.name }, flags: ['--org', slug] })
  return {
    disabledReasons: { create: adding.disabledReason, remove: taking.disabledReason },
    actions,
    intents: {
      create: () => pick(shell, adding),
      open,
      remove: () => taking.ask(subjects, names),
      'copy-id': () => selected && shell.copy(selected.id, 'the member id'),
      'copy-command': () => shell.copy(command, 'the command'),
    },
  }
}

/** Offers those who are not in it yet. */
function useAdding(placed: Placed): Choice {
  const shell = useShell()
  const { view, team } = placed
  const adding = useAction(addTeamMember, { view })
  const others = view.organization.members.filter(({ teamId }) => teamId !== team.id)
  const choices = others.map((member) => ({
    ...adding.choice(placedIn(placed, [member]), []),
    id: member.id,
    label: memberLabel(member),
    hint: '',
  }))
  const run = () => shell.show({ kind: 'picker', title: `Into ${team.name}`, choices, isSearchable: true })
  return { id: 'add', label: 'Add a member', disabledReason: adding.disabledReason, run }
}

/** Members as what is done to them in that team. */
const placedIn = ({ view, team }: Placed, members: readonly MemberView[]) =>
  members.map((member) => ({ member, team, org: view.organization.slug }))

const columns: readonly Column<MemberView>[] = [
  { title: 'Name', value: ({ user }) => user.name },
  { title: 'E-mail', value: ({ user }) => user.email },
  { title: 'Roles', value: ({ role }) => roleText(role) },
]
const idOf = ({ id }: MemberView): string => id
