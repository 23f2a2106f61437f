import type { SessionView } from '../../../shared/entities.ts'
import type { FullOrganization } from '../../../shared/organization.ts'
import { waitingOf } from '../../flows/org/view.ts'
import { countText } from '../../output/count.ts'
import { roleText } from '../../output/role-text.ts'

/** `as owner, 12 members, 3 invitations, 2 teams`: a list that an answer holds only the start of says so. */
export function placeText(place: FullOrganization, { user }: SessionView): string {
  const { members, invitations, teams, incomplete = [] } = place
  const role = members.find(({ userId }) => userId === user.id)?.role
  const counted = (list: (typeof incomplete)[number], count: number) => {
    if (incomplete.includes(list)) return `${countText(count)} or more ${list}`
    return `${countText(count)} ${count === 1 ? list.slice(0, -1) : list}`
  }
  return [
    ...(role ? [`as ${roleText(role)}`] : []),
    counted('members', members.length),
    counted('invitations', waitingOf(invitations).length),
    ...(teams ? [counted('teams', teams.length)] : []),
  ].join(', ')
}
