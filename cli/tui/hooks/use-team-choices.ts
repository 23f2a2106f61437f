import type { MemberView } from '../../../shared/organization.ts'
import type { OrganizationView } from '../../flows/org/view.ts'
import { putIntoTeam } from '../organizations/member-acts.ts'
import type { Choice } from '../overlays.ts'
import { useAct } from './use-act.ts'

/** The teams that these members can be put into. */
export function useTeamChoices(
  view: OrganizationView,
  members: readonly MemberView[],
  onDone: () => void,
): readonly Choice[] {
  const putting = useAct(putIntoTeam(view), onDone)
  return (view.organization.teams ?? []).map((team) => ({
    ...putting.choice(
      members.map((member) => ({ member, team })),
      [],
    ),
    id: team.id,
    label: team.name,
  }))
}
