import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import type { Config } from '../../config.ts'
import {
  findFullOrganization,
  findOrganizationOf,
  isMemberOf,
  keepMemberships,
  listOrganizations,
} from '../../db/full-organization.ts'
import { readConfirmedList } from '../../db/lists.ts'
import { isSlugTaken } from '../../db/organizations.ts'
import { inSharedTrip } from '../../db/shared-trips.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { memberLimitFor, type RawPageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { isWithinScopes } from '../key/rights.ts'
import { hasMemberPermissions, requireMembership } from './roles.ts'
import { withoutTeams } from './without-teams.ts'

export async function checkSlug(
  { sql }: Deps,
  { slug }: Input<typeof calls.checkSlug>,
): Promise<Output<typeof calls.checkSlug>> {
  if (await isSlugTaken(sql, slug.toLowerCase())) throw new Failure('SLUG_TAKEN')
  return { status: true }
}

export function listOrganizationsOfUser(
  deps: Deps,
  { user }: Caller,
  asked: Input<typeof calls.list>,
  freshness: Freshness,
): Promise<RawPageOf<ListedOrganization>> {
  const page = readPageRequest(asked, rowLimitFor(deps.config.ORGANIZATION_LIMIT))
  return readConfirmedList(
    deps,
    freshness,
    (sql) => listOrganizations(sql, user.id, page),
    (found) => keepMemberships(deps.sql, user.id, found),
  )
}

/** Null when none is named and none is active. A slug wins over an id. */
const choose = ({ session }: Caller, { organizationId, organizationSlug }: Input<typeof calls.getOrganization>) => {
  const choice = { id: organizationId ?? session.activeOrganizationId, slug: organizationSlug?.toLowerCase() ?? null }
  return choice.id === null && choice.slug === null ? null : choice
}

export async function getOrganization(
  { sql }: Deps,
  caller: Caller,
  asked: Input<typeof calls.getOrganization>,
): Promise<Output<typeof calls.getOrganization>> {
  const choice = choose(caller, asked)
  if (!choice) return null
  const found = await inSharedTrip(sql, (one) => findOrganizationOf(one, caller.user.id, choice))
  if (!found) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return found
}

export async function getFullOrganization(
  deps: Deps,
  caller: Caller,
  asked: Input<typeof calls.getFullOrganization>,
  freshness: Freshness,
): Promise<Output<typeof calls.getFullOrganization>> {
  const { config } = deps
  const { user } = caller
  const choice = choose(caller, asked)
  if (!choice) return null
  const found = await readConfirmedList(
    deps,
    freshness,
    (sql) => findFullOrganization(sql, user.id, choice, limitsOf(config)),
    async (full) => (full && (await isMemberOf(deps.sql, user.id, full.id, choice.slug)) ? full : undefined),
  )
  if (!found) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return config.TEAMS ? found : withoutTeams(found)
}

const limitsOf = ({ MEMBERSHIP_LIMIT, INVITATION_LIMIT, MAXIMUM_TEAMS }: Config) => ({
  members: memberLimitFor(MEMBERSHIP_LIMIT),
  invitations: rowLimitFor(INVITATION_LIMIT),
  teams: rowLimitFor(MAXIMUM_TEAMS),
})

export async function hasPermission(
  deps: Deps,
  caller: Caller,
  { organizationId, permissions, permission }: Input<typeof calls.hasPermission>,
): Promise<Output<typeof calls.hasPermission>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_UNAUTHORIZED' } as const
  const actor = await requireMembership(deps, caller, organizationId, failures)
  const asked = permissions ?? permission ?? {}
  return { error: null, success: isWithinScopes(caller.key, asked) && hasMemberPermissions(deps.config, actor, asked) }
}
