import { Box } from 'ink'
import type { MemberView, Team } from '../../../../shared/organization.ts'
import { commandLine } from '../../../flows/command-line.ts'
import { memberLabel } from '../../../flows/member/members.ts'
import { membersOfTeam, type OrganizationView } from '../../../flows/org/view.ts'
import { addTeamMember } from '../../../flows/team/add-member.ts'
import { removeTeamMember } from '../../../flows/team/remove-member.ts'
import { roleText } from '../../../output/role-text.ts'
import { useAction } from '../../hooks/use-action.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useOrganization } from '../../hooks/use-organization.ts'
import { useShell } from '../../hooks/use-shell.ts'
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
  if (data && team && !shownError) return <Members view={data} team={team} isActive={isActive} />
  return (
    <Page screen="organization" isActive={isActive} intents={{}}>
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
  const list = useList({ items: membersOfTeam(view, team.id), idOf, textOf: memberLabel, height })
  const { intents, disabledReasons } = useKeys({ view, team }, list)
  return (
    <Page
      screen="team"
      isActive={isActive}
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={disabledReasons}
      intents={{ ...list.intents, ...intents }}
    >
      <Box flexDirection="column">
        <ListView
          view={list}
          headers={['Name', 'E-mail', 'Roles']}
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
      remove: () => taking.ask(placed(chosen), names),
      actions: () =>
        shell.show({
          kind: 'picker',
          title: chosen.length === 1 ? (chosen[0]?.user.name ?? '') : team.name,
          choices: [
            { id: 'add', label: 'Add a member', disabledReason: adding.disabledReason, run: add },
            ...(selected ? [taking.choice(placed(chosen), names)] : []),
          ],
        }),
      'copy-id': () => selected && shell.copy(selected.id, 'the member id'),
      'copy-command': () =>
        shell.copy(
          commandLine('postern', 'team', 'member', 'list', '--team', team.name, '--org', view.organization.slug),
          'the command',
        ),
    },
  }
}

const idOf = ({ id }: MemberView): string => id
