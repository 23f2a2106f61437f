import type { MemberView } from '../../../shared/organization.ts'
import { isOwner, type OrganizationView } from '../../flows/org/view.ts'
import { holdersOf } from '../../flows/role/view.ts'
import { type Detail, namesIn } from './detail.ts'

/** What a role may do, a line for each resource, and who holds it here. */
export function roleDetail(view: OrganizationView, role: string): Detail {
  const grants = Object.entries(view.roles[role] ?? {}).filter(([, actions]) => actions.length > 0)
  const facts = grants.map(([resource, actions]) => ({ label: resource, value: actions.join(', ') }))
  return {
    title: role,
    facts: [
      ...(facts.length > 0 ? facts : [{ label: 'May', value: 'look at it, and change nothing' }]),
      { label: 'Owner', value: isOwner(view, [role]) ? 'yes: only owners give this role' : 'no' },
      { label: 'Held by', value: heldBy(holdersOf(view.organization.members, role)) },
    ],
  }
}

const heldBy = (holders: readonly MemberView[]): string =>
  holders.length === 0 ? 'nobody here' : `${holders.length}: ${namesIn(holders.map(({ user }) => user.name))}`
