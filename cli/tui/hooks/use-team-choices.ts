import type { MemberView } from '../../../shared/organization.ts'
import { toldApart } from '../../flows/form.ts'
import type { OrganizationView } from '../../flows/org/view.ts'
import { addTeamMember } from '../../flows/team/add-member.ts'
import type { Choice } from '../state/overlays.ts'
import { useAction } from './use-action.ts'

/** The teams that these members can be put into. */
export function useTeamChoices(
  view: OrganizationView,
  members: readonly MemberView[],
  onDone: () => void,
): readonly Choice[] {
  const putting = useAction(addTeamMember, { view, onDone })
  const choices = (view.organization.teams ?? []).map((team) => ({
    ...putting.choice(
      members.map((member) => ({ member, team, org: view.organization.slug })),
      [],
    ),
    id: team.id,
    label: team.name,
  }))
  return toldApart(choices)
}
