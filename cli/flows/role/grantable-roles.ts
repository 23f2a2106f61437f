import type { Option } from '../flow.ts'
import { isOwner, type OrganizationView, whyNotGrant } from '../org/view.ts'

/** The roles of the service, with why one may not be given by who looks. */
export const grantableRoles = (view: OrganizationView): readonly Option[] =>
  Object.keys(view.roles).map((role) => ({ id: role, label: role, disabledReason: whyNotGrant(view, role) }))

/** The same for a machine, which is never an owner. */
export const machineRoles = (view: OrganizationView): readonly Option[] =>
  grantableRoles(view).map((role) =>
    isOwner(view, [role.id]) ? { ...role, disabledReason: 'no machine is an owner' } : role,
  )
