import type { MemberView } from '../../../shared/organization.ts'
import { isForOneself } from '../../flows/flow.ts'
import { formOf } from '../../flows/form.ts'
import { memberLabel } from '../../flows/member/members.ts'
import { removeMember, removeMemberWith } from '../../flows/member/remove.ts'
import { setRoles } from '../../flows/member/set-roles.ts'
import { isOwner, type OrganizationView, whyNotChangeTeams } from '../../flows/org/view.ts'
import { addTeamMember } from '../../flows/team/add-member.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { withKey } from '../keys/key-text.ts'
import type { Choice, DisabledReasons } from '../state/overlays.ts'
import { useAction } from './use-action.ts'
import type { Intents } from './use-bindings.ts'
import { useForm } from './use-form.ts'
import { useMode } from './use-mode.ts'
import { useShell } from './use-shell.ts'
import { useTeamChoices } from './use-team-choices.ts'

interface MemberActs {
  readonly title: string
  readonly choices: readonly Choice[]
  readonly disabledReasons: DisabledReasons
  readonly intents: Intents
}

interface MemberEnds {
  /** After any of it. */
  readonly onDone: () => void
  /** After they are members no longer. */
  readonly onRemoved: () => void
}

const [andRevoke, andAdopt] = [removeMemberWith('revoke'), removeMemberWith('adopt')]

/** What is done with members, from their list and from one's own screen alike. */
export function useMemberActs(
  view: OrganizationView,
  chosen: readonly MemberView[],
  { onDone, onRemoved }: MemberEnds,
): MemberActs {
  const shell = useShell()
  const mode = useMode()
  const { slug, teams } = view.organization
  const people = chosen.map((member) => ({ member, isOwner: isOwner(view, member.role), org: slug }))
  const removing = useAction(removeMember, { view, chosen: people, onDone: onRemoved })
  const revoked = people.map((one) => ({ ...one, fate: 'revoke' as const }))
  const adopted = people.map((one) => ({ ...one, fate: 'adopt' as const }))
  const revoking = useAction(andRevoke, { view, chosen: revoked, onDone: onRemoved })
  const adopting = useAction(andAdopt, { view, chosen: adopted, onDone: onRemoved })
  const roles = useForm(() => formOf(setRoles, { subjects: people, view }))
  const teamChoices = useTeamChoices(view, chosen, onDone)
  const team =
    disabledReasonOf({ writes: true, isForOneself: isForOneself(addTeamMember) }, mode) ??
    whyNotChangeTeams(view, 'team:update') ??
    (teams?.length === 0 ? 'there is no team yet' : undefined)
  const title = chosen.length > 1 ? `${chosen.length} members` : (chosen[0]?.user.name ?? 'Nobody')
  const names = chosen.map(memberLabel)
  const toTeams = () =>
    team
      ? shell.sayDisabled('Team', team)
      : shell.show({ kind: 'picker', title: `${title}: team`, choices: teamChoices })
  return {
    title,
    choices: [
      withKey('members', 'role', roles.choice),
      withKey('members', 'team', { id: 'team', label: 'Put into a team', disabledReason: team, run: toTeams }),
      withKey('members', 'remove', removing.choice(people, names)),
      revoking.choice(revoked, names),
      adopting.choice(adopted, names),
    ],
    disabledReasons: { role: roles.disabledReason, team, remove: removing.disabledReason },
    intents: { role: roles.open, team: toTeams, remove: () => removing.ask(people, names) },
  }
}
