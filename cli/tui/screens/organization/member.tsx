import type { MemberView } from '../../../../shared/organization.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { memberView } from '../../../flows/member/view.ts'
import type { OrganizationView } from '../../../flows/org/view.ts'
import { removeTeamMember } from '../../../flows/team/remove-member.ts'
import { memberDetail } from '../../details/member.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useMemberActs } from '../../hooks/use-member-acts.ts'
import { useOrganization } from '../../hooks/use-organization.ts'
import { useShell } from '../../hooks/use-shell.ts'
import type { Choice } from '../../state/overlays.ts'
import { LoadNote } from '../load-note.tsx'
import { MenuView, useMenu } from '../menu-view.tsx'
import { Page, type ScreenProps } from '../page.tsx'
import type { PartProps } from './role.tsx'

/** One member of an organization, and what can be done with them. */
export function MemberScreen({ isActive, organizationId, subject }: PartProps) {
  const { data, isLoading, shownError } = useOrganization(organizationId)
  const member = data?.organization.members.find(({ id }) => id === subject)
  if (data && member) return <Member view={data} member={member} isActive={isActive} />
  return (
    <Page screen="member" isActive={isActive} isLoading={!data && isLoading} intents={{}}>
      <LoadNote isLoading={!data && isLoading} shownError={shownError} empty="This member has left" />
    </Page>
  )
}

interface MemberProps extends ScreenProps {
  readonly view: OrganizationView
  readonly member: MemberView
}

function Member({ view, member, isActive }: MemberProps) {
  const shell = useShell()
  const { choices, disabledReasons, intents } = useMemberActs(view, [member], {
    onDone: () => {},
    onRemoved: shell.back,
  })
  const all = [...choices, ...useTakingOut(view, member)]
  const { title, facts } = memberDetail(view, member)
  const menu = useMenu(
    all.map((choice) => ({ hint: '', ...choice })),
    facts,
  )
  const given = { user: member.user.email }
  const command = commandWith(memberView, [], { given, flags: ['--org', view.organization.slug] })
  return (
    <Page
      screen="member"
      isActive={isActive}
      disabledReasons={disabledReasons}
      actions={{ title, choices: all }}
      intents={{
        ...menu.list.intents,
        ...intents,
        open: menu.open,
        'copy-id': () => shell.copy(member.id, 'the member id'),
        'copy-command': () => shell.copy(command, 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}

/** For who is in a team. */
function useTakingOut(view: OrganizationView, member: MemberView): readonly Choice[] {
  const { teams, slug } = view.organization
  const taking = useAction(removeTeamMember, { view })
  const team = teams?.find(({ id }) => id === member.teamId)
  return team ? [taking.choice([{ member, team, org: slug }], [team.name])] : []
}
