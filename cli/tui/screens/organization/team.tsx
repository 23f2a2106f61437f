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
import { useAction } from '../../hooks/use-action.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useOrganization } from '../../hooks/use-organization.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { Column } from '../../state/columns.ts'
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
  const { intents, disabledReasons } = useKeys({ view, team }, list)
  return (
    <Page
      screen="team"
      isActive={isActive}
      detail={list.selected && memberDetail(view, list.selected)}
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={disabledReasons}
      intents={{ ...list.intents, ...intents }}
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

function useKeys(
  { view, team }: Omit<MembersProps, 'isActive'>,
  { chosen, selected, unmark }: ListControl<MemberView>,
) {
  const shell = useShell()
  const placed = (members: readonly MemberView[]) =>
    members.map((member) => ({ member, team, org: view.organization.slug }))
  const adding = useAction(addTeamMember, { view })
  const taking = useAction(removeTeamMember, { view, onDone: unmark })
  const others = view.organization.members.filter(({ teamId }) => teamId !== team.id)
  const choices = others.map((member) => ({
    ...adding.choice(placed([member]), []),
    id: member.id,
    label: memberLabel(member),
    hint: '',
  }))
  const add = () =>
    adding.disabledReason
      ? shell.sayDisabled('Add', adding.disabledReason)
      : shell.show({ kind: 'picker', title: `Into ${team.name}`, choices, isSearchable: true })
  const names = chosen.map(memberLabel)
  return {
    disabledReasons: { create: adding.disabledReason, remove: taking.disabledReason },
    intents: {
      create: add,
      open: () =>
        selected &&
        shell.open({
          screen: 'member',
          subject: selected.id,
          title: selected.user.name,
          organizationId: view.organization.id,
        }),
      remove: () => taking.ask(placed(chosen), names),
      actions: () =>
        shell.show({
          kind: 'picker',
          title: chosen.length === 1 ? (chosen[0]?.user.name ?? '') : team.name,
          choices: [
            withKey('team', 'create', {
              id: 'add',
              label: 'Add a member',
              disabledReason: adding.disabledReason,
              run: add,
            }),
            ...(selected ? [withKey('team', 'remove', taking.choice(placed(chosen), names))] : []),
          ],
        }),
      'copy-id': () => selected && shell.copy(selected.id, 'the member id'),
      'copy-command': () =>
        shell.copy(
          commandWith(teamMemberList, [], { given: { team: team.name }, flags: ['--org', view.organization.slug] }),
          'the command',
        ),
    },
  }
}

const columns: readonly Column<MemberView>[] = [
  { title: 'Name', value: ({ user }) => user.name },
  { title: 'E-mail', value: ({ user }) => user.email },
  { title: 'Roles', value: ({ role }) => roleText(role) },
]
const idOf = ({ id }: MemberView): string => id
