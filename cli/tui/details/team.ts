import type { Team } from '../../../shared/organization.ts'
import { membersOfTeam, type OrganizationView } from '../../flows/org/view.ts'
import { fullTime } from '../text/session-text.ts'
import { type Detail, namesIn } from './detail.ts'

/** A team, and who is in it. */
export function teamDetail(view: OrganizationView, { id, name, createdAt }: Team): Detail {
  const members = membersOfTeam(view, id).map(({ user }) => user.name)
  return {
    title: name,
    facts: [
      { label: 'Members', value: members.length === 0 ? 'nobody' : `${members.length}: ${namesIn(members)}` },
      { label: 'Since', value: fullTime(createdAt) },
      { label: 'ID', value: id },
    ],
  }
}
