import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/team.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { ListedTeam, MemberView } from '../../../shared/organization.ts'
import { newId } from '../../crypto/id.ts'
import { inLastTrip, withCommit } from '../../db/connect.ts'
import { readCheckedList } from '../../db/lists.ts'
import { type Actor, lockOrganizationAndFindActor } from '../../db/organization-actors.ts'
import {
  type AddToTeamOutcome,
  addToTeam,
  deleteTeam,
  listTeams as find,
  listTeamMembers as findMembers,
  findTeamActor,
  createTeam as insertTeam,
  removeFromTeam,
  renameTeam,
} from '../../db/teams.ts'
import { isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { memberLimitFor, type PageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import {
  actAsChecked,
  listAsMember,
  requireMembership,
  requireOrganizationId,
  requirePermission,
} from '../organization/roles.ts'

export async function createTeam(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { name, organizationId: named }: Input<typeof calls.createTeam>,
): Promise<Output<typeof calls.createTeam>> {
  const organizationId = requireOrganizationId(caller, named, 'NO_ACTIVE_ORGANIZATION')
  const id = newId()
  return transactionWithEvents(sql, client.requireRoom(organizationId, 'team-created'), async (tx) => {
    const actor = await lockOrganizationAndFindActor(tx, organizationId, caller.user.id)
    if (!actor) throw new Failure('INVITATION_CREATE_FORBIDDEN')
    requirePermission(config, actor, 'team:create', 'TEAM_CREATE_FORBIDDEN')
    const event = client.event(tx, 'team-created', { userId: caller.user.id, organizationId, target: id })
    const made = { id, name, organizationId }
    const team = await withCommit(tx, (last) => insertTeam(last, made, config.MAXIMUM_TEAMS, event))
    if (!team) throw new Failure('TEAM_LIMIT_REACHED')
    return team
  })
}

export async function listTeams(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof calls.listTeams>,
  freshness: Freshness,
): Promise<PageOf<ListedTeam>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'TEAMS_NOT_YOURS' } as const
  const page = readPageRequest(asked, rowLimitFor(deps.config.MAXIMUM_TEAMS))
  const { found } = await listAsMember(deps, caller, { ...failures, named: organizationId, freshness }, (sql, reader) =>
    find(sql, reader, page),
  )
  return found
}

export async function listTeamMembers(
  deps: Deps,
  { user, session }: Caller,
  { teamId: named, ...asked }: Input<typeof calls.listTeamMembers>,
  freshness: Freshness,
): Promise<PageOf<MemberView>> {
  const teamId = named ?? session.activeTeamId
  if (teamId === null) throw new Failure('NO_ACTIVE_TEAM')
  const page = readPageRequest(asked, memberLimitFor(deps.config.MEMBERSHIP_LIMIT))
  const read = await readCheckedList(
    deps,
    freshness,
    (sql) => findTeamActor(sql, teamId, user.id),
    (sql) => findMembers(sql, teamId, user.id, page),
  )
  if (!read) throw new Failure('TEAM_NOT_FOUND')
  const [, { rows, next }] = read
  return { rows: rows.map((member) => ({ ...member, teamId })), next }
}

/** Only the name changes. `data.organizationId` says which organization is meant and moves nothing. */
export async function updateTeam(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, data }: Input<typeof calls.updateTeam>,
): Promise<Output<typeof calls.updateTeam>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'TEAM_UPDATE_FORBIDDEN' } as const
  const check = async () => {
    const actor = await requireMembership(deps, caller, data.organizationId, failures)
    requirePermission(deps.config, actor, 'team:update', 'TEAM_UPDATE_FORBIDDEN')
    return actor
  }
  const team = await actAsChecked(check, (actor) =>
    logEventsOnceCommitted((act) => {
      const about = { userId: caller.user.id, organizationId: actor.organizationId, target: teamId }
      const event = data.name === undefined ? null : client.event(act, 'team-updated', about)
      return renameTeam(deps.sql, { actor, teamId, name: data.name, event })
    }, isRowFound),
  )
  if (!team) throw new Failure('TEAM_NOT_FOUND')
  return team
}

/** Counted behind a lock on the organization: however many requests remove teams at once, the last team remains. */
export async function removeTeam(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { teamId, organizationId: named }: Input<typeof calls.removeTeam>,
): Promise<Output<typeof calls.removeTeam>> {
  const organizationId = requireOrganizationId(caller, named, 'NO_ACTIVE_ORGANIZATION')
  await transactionWithEvents(sql, client.requireRoom(organizationId, 'team-deleted'), async (tx) => {
    const actor = await lockOrganizationAndFindActor(tx, organizationId, caller.user.id)
    if (!actor || actor.teamIds.includes(teamId)) throw new Failure('TEAM_NOT_YOURS_TO_DELETE')
    requirePermission(config, actor, 'team:delete', 'TEAM_DELETE_FORBIDDEN')
    const event = client.event(tx, 'team-deleted', { userId: caller.user.id, organizationId, target: teamId })
    const end = { organizationId, teamId, mayBeLast: config.ALLOW_REMOVING_ALL_TEAMS, event }
    const { outcome } = await withCommit(tx, (last) => deleteTeam(last, end))
    if (outcome !== 'done') throw new Failure(outcome === 'last' ? 'LAST_TEAM' : 'TEAM_NOT_FOUND')
  })
  return { message: 'Team removed successfully.' }
}

const failuresOfAdding = {
  'no-team': 'TEAM_NOT_FOUND',
  'no-member': 'MEMBER_NOT_FOUND',
  full: 'TEAM_FULL',
} as const satisfies Record<string, FailureName>

/** Of several teams, the answer's `teamId` is the named one. */
export async function addTeamMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, userId }: Input<typeof calls.addTeamMember>,
): Promise<Output<typeof calls.addTeamMember>> {
  const check = () => requireTeam(deps, caller, teamId)
  const member = await actAsChecked(check, async (actor) => {
    const added = await placeMember(deps, client, { actor, actorUserId: caller.user.id, teamId, userId })
    if (added.outcome === 'changed') return null
    if (added.outcome !== 'done') throw new Failure(failuresOfAdding[added.outcome])
    return added.member
  })
  if (!member) throw new Failure('TEAM_NOT_FOUND')
  return { ...member, teamId }
}

interface Placement {
  readonly actor: Actor
  readonly actorUserId: string
  readonly teamId: string
  readonly userId: string
}

/** Counted behind a lock on the organization. */
function placeMember(
  { sql, config }: Deps,
  client: Client,
  { actor, actorUserId, teamId, userId }: Placement,
): Promise<AddToTeamOutcome> {
  const { organizationId } = actor
  const about = { userId: actorUserId, memberUserId: userId, organizationId, target: teamId }
  return transactionWithEvents(sql, client.requireRoom(organizationId, 'team-member-added'), async (tx) => {
    const event = client.event(tx, 'team-member-added', about)
    const [, added] = await inLastTrip(
      tx,
      (one) => lockOrganizationAndFindActor(one, organizationId, actorUserId),
      (one) => addToTeam(one, { actor, teamId, userId, limit: config.MAXIMUM_MEMBERS_PER_TEAM, event }),
    )
    if (added.outcome !== 'done' || !added.isNew) withdrawEvent(event)
    return added
  })
}

export async function removeTeamMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, userId }: Input<typeof calls.removeTeamMember>,
): Promise<Output<typeof calls.removeTeamMember>> {
  const check = () => requireTeam(deps, caller, teamId)
  const member = await actAsChecked(check, (actor) =>
    logEventsOnceCommitted((act) => {
      const { organizationId } = actor
      const about = { userId: caller.user.id, memberUserId: userId, organizationId, target: teamId }
      const event = client.event(act, 'team-member-removed', about)
      return removeFromTeam(deps.sql, { actor, teamId, userId, event })
    }, isRowFound),
  )
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return { ...member, message: 'Team member removed successfully.' }
}

/**
 * The caller in the organization of a team whose members they may change. A team of a foreign organization looks as if
 * it did not exist.
 */
async function requireTeam({ sql, config }: Deps, { user }: Caller, teamId: string): Promise<Actor> {
  const actor = await findTeamActor(sql, teamId, user.id)
  if (!actor) throw new Failure('TEAM_NOT_FOUND')
  requirePermission(config, actor, 'team:update', 'TEAM_UPDATE_FORBIDDEN')
  return actor
}
