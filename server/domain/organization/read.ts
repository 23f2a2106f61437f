import type { Input, Output } from '../../../shared/contract/call.ts'
import type {
  checkSlug as CheckSlug,
  getFullOrganization as Full,
  hasPermission as Has,
  list as List,
  listRoles as ListRoles,
} from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import { may } from '../../../shared/permissions.ts'
import { findFullOrganization, isSlugTaken, listOrganizations } from '../../db/organizations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request.ts'
import { requireActor } from './actor.ts'
import { shape } from './shape.ts'

export async function checkSlug({ sql }: Deps, { slug }: Input<typeof CheckSlug>): Promise<Output<typeof CheckSlug>> {
  if (await isSlugTaken(sql, slug.toLowerCase())) throw new Failure('SLUG_TAKEN')
  return { status: true }
}

export const list = ({ sql }: Deps, { user }: Caller): Promise<Output<typeof List>> =>
  listOrganizations(sql, user.id).then((rows) => [...rows])

/** Null when nothing is named and nothing is active; a slug wins over an id. */
export async function getFullOrganization(
  { config, sql }: Deps,
  { user, session }: Caller,
  { organizationId, organizationSlug }: Input<typeof Full>,
): Promise<Output<typeof Full>> {
  const choice = { id: organizationId ?? session.activeOrganizationId, slug: organizationSlug?.toLowerCase() ?? null }
  if (choice.id === null && choice.slug === null) return null
  const found = await findFullOrganization(sql, user.id, choice, config.MEMBERSHIP_LIMIT)
  if (!found) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return {
    ...found,
    invitations: found.invitations.map((invitation) => shape(config, invitation)),
    members: found.members.map((member) => shape(config, member)),
    teams: config.TEAMS ? found.teams : null,
  }
}

export async function hasPermission(
  deps: Deps,
  caller: Caller,
  { organizationId, permissions, permission }: Input<typeof Has>,
): Promise<Output<typeof Has>> {
  const refusals = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_UNAUTHORIZED' } as const
  const { role } = await requireActor(deps, caller, organizationId, refusals)
  return { error: null, success: may(deps.config.roles, role, permissions ?? permission ?? {}) }
}

export const listRoles = ({ config }: Deps): Output<typeof ListRoles> =>
  Object.entries(config.roles).map(([role, actions]) => ({
    role,
    permissions: Object.fromEntries(Object.entries(actions).map(([resource, list]) => [resource, [...list]])),
  }))
