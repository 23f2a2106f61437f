import type { Option } from '../flow.ts'
import { type OrganizationView, whyNotGrant } from '../org/view.ts'

/** The roles of the service, with why one may not be given by who looks. */
export const grantableRoles = (view: OrganizationView): readonly Option[] =>
  Object.keys(view.roles).map((role) => ({ id: role, label: role, disabledReason: whyNotGrant(view, role) }))
