import sjson from 'secure-json-parse'
import type { Input, Output } from '../../../shared/contract/call.ts'
import * as calls from '../../../shared/contract/organization.ts'
import type { User } from '../../../shared/entities.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { expectations, inputProblem, problemsIn } from '../../../shared/input-problem.ts'
import type { Member } from '../../../shared/organization.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import type { Actor } from '../../db/organization-actors.ts'
import {
  clearActiveOrganization,
  createOrganization,
  deleteOrganization,
  findOrganization,
  findUser,
  type NewOrganization,
  setActiveOrganization,
  updateOrganization,
} from '../../db/organizations.ts'
import { isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { OrganizationDraft } from '../../settings/extensions.ts'
import { isAllowedOnPlatform } from '../admin/permission.ts'
import { invalidHookAnswer, runAfterHook, runBeforeHook } from '../hooks.ts'
import { changedNames, checkOrganizationFields, requireSettable } from '../own-fields.ts'
import { organizationLimitOf } from './limit.ts'
import { getFullOrganization } from './read.ts'
import { actAsChecked, requireMembership, requirePermission } from './roles.ts'
import { withoutTeams } from './without-teams.ts'

const failuresOfCreating = {
  'no-creator': 'USER_NOT_FOUND',
  'user-full': 'ORGANIZATION_LIMIT_REACHED',
} as const satisfies Record<string, FailureName>

type CreateOrganizationInput = Input<typeof calls.create>

/** All checks first, then one transaction that counts under a lock on the creator. */
export async function addOrganization(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: CreateOrganizationInput,
): Promise<Output<typeof calls.create>> {
  const { config, sql } = deps
  const creator = await creatorOf(deps, client, caller, input)
  if (!client.isServer) await refuseUnlessAllowed(deps, creator)
  const standard = config.ownFields.organization.defaults
  requireSettable(deps, client, caller, { fields: input.fields, standard })
  const limit = await organizationLimitOf(deps, creator)
  const draft = await draftOf(deps, creator, input)
  const isOwn = caller?.user.id === creator.id && !input.keepCurrentActiveOrganization
  const id = newId()
  const organization: Omit<NewOrganization, 'event'> = {
    id,
    creator: { userId: creator.id, memberId: newId(), roles: [config.CREATOR_ROLE] },
    teamId: config.TEAMS && config.DEFAULT_TEAM ? newId() : null,
    sessionId: isOwn && caller ? caller.session.id : null,
    limit,
    ...draft,
  }
  const made = await transactionWithEvents(sql, client.requireRoom(id, 'organization-created'), async (tx) => {
    const event = client.event(tx, 'organization-created', { userId: creator.id, organizationId: id })
    const created = await createOrganization(tx, { event, ...organization })
    if (created.outcome !== 'done') throw new Failure(failuresOfCreating[created.outcome])
    return created
  })
  const { outcome: _done, memberSince: createdAt, ...row } = made
  await runAfterHook(deps, config.extensions.afterCreateOrganization, row, creator)
  return { ...row, members: [founderOf(organization, createdAt)] }
}

const founderOf = (
  { id: organizationId, teamId, creator }: Pick<NewOrganization, 'id' | 'teamId' | 'creator'>,
  createdAt: Date,
): Member => ({
  id: creator.memberId,
  organizationId,
  userId: creator.userId,
  role: [...creator.roles],
  teamId,
  teamIds: teamId === null ? [] : [teamId],
  createdAt,
})

/** Only trusted servers and platform admins create organizations for somebody else. */
async function creatorOf(
  { config, sql }: Deps,
  { isServer }: Client,
  caller: Caller | null,
  { userId }: CreateOrganizationInput,
): Promise<User> {
  const mayName = isServer || (caller !== null && isAllowedOnPlatform(config, caller, 'user:create'))
  if (userId === undefined || !mayName || userId === caller?.user.id) {
    if (!caller) throw new Failure('UNAUTHORIZED')
    return caller.user
  }
  const user = await findUser(sql, userId)
  if (!user) throw new Failure('USER_NOT_FOUND')
  return user
}

async function refuseUnlessAllowed({ config }: Deps, creator: User): Promise<void> {
  const { mayCreateOrganization } = config.extensions
  if (!config.ORGANIZATION_CREATION) throw new Failure('ORGANIZATION_CREATION_FORBIDDEN')
  if (!mayCreateOrganization) return
  const answer = await runBeforeHook(mayCreateOrganization, creator)
  if (answer === false) throw new Failure('ORGANIZATION_CREATION_FORBIDDEN')
  if (answer !== true) throw invalidHookAnswer('mayCreateOrganization', 'true or false')
}

/** The draft from the input, or the one that the application's hook returned in its place. */
async function draftOf(
  { config }: Deps,
  creator: User,
  { name, slug, logo, metadata, fields }: CreateOrganizationInput,
): Promise<OrganizationDraft> {
  const draft = {
    name,
    slug: slug.toLowerCase(),
    logo: logo ?? null,
    metadata: parseMetadata(metadata ?? null, ['metadata']),
    fields,
  }
  const changed = await runBeforeHook(config.extensions.beforeCreateOrganization, draft, creator)
  return changed === undefined || changed === null ? draft : changedDraft(config, draft, changed)
}

/** A draft from the hook has to satisfy the same rules as input. What is wrong with it is logged. */
function changedDraft(config: Config, draft: OrganizationDraft, changed: unknown): OrganizationDraft {
  if (typeof changed !== 'object' || changed instanceof Error)
    throw invalidHookAnswer('beforeCreateOrganization', 'nothing, or what shall be created')
  const checked = calls.update.input.shape.data.safeParse(changed, expectations)
  if (!checked.success)
    throw new Failure('INVALID_BODY', { cause: checked.error, details: problemsIn(checked.error.issues, changed) })
  const { name = draft.name, slug = draft.slug, logo = draft.logo, metadata = draft.metadata } = checked.data
  const { fields = draft.fields }: Partial<OrganizationDraft> = Object(changed)
  return {
    name,
    slug: slug.toLowerCase(),
    logo,
    metadata: parseMetadata(metadata, ['metadata']),
    fields: checkOrganizationFields(config, fields),
  }
}

export async function editOrganization(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { data, organizationId }: Input<typeof calls.update>,
): Promise<Output<typeof calls.update>> {
  if (!caller) throw new Failure('USER_NOT_FOUND_UNAUTHORIZED')
  const { name, slug, logo, metadata, fields: own } = data
  const change = {
    name,
    slug: slug?.toLowerCase(),
    logo,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata, ['data', 'metadata']),
    fields: own,
  }
  const failures = { none: 'ORGANIZATION_NOT_FOUND', outsider: 'NOT_A_MEMBER' } as const
  const check = async () => {
    const actor = await requireMembership(deps, caller, organizationId, failures)
    requirePermission(deps.config, actor, 'organization:update', 'ORGANIZATION_UPDATE_FORBIDDEN')
    requireSettable(deps, client, caller, { fields: own, path: ['data'] })
    return actor
  }
  const fields = changedNames(data).join(',')
  const updated = await actAsChecked(check, (actor) =>
    logEventsOnceCommitted((act) => {
      const about = { userId: caller.user.id, organizationId: actor.organizationId, fields }
      const event = fields === '' ? null : client.event(act, 'organization-updated', about)
      return updateOrganization(deps.sql, actor, change, event)
    }, isRowFound),
  )
  if (!updated) throw new Failure('NOT_A_MEMBER')
  return updated
}

/** Every check and the application's hook run before anything changes, and the hook only once. */
export async function removeOrganization(
  deps: Deps,
  client: Client,
  caller: Caller,
  { organizationId }: Input<typeof calls.remove>,
): Promise<Output<typeof calls.remove>> {
  const { config, sql } = deps
  const { beforeDeleteOrganization, afterDeleteOrganization } = config.extensions
  const check = async () => {
    const failures = { none: 'NOT_A_MEMBER', outsider: 'NOT_A_MEMBER' } as const
    const actor = await requireMembership(deps, caller, organizationId, failures)
    requirePermission(config, actor, 'organization:delete', 'ORGANIZATION_DELETE_FORBIDDEN')
    return actor
  }
  const first = await check()
  if (!config.ORGANIZATION_DELETION) throw new Failure('ORGANIZATION_DELETION_OFF')
  const organization = beforeDeleteOrganization ? await findOrganization(sql, organizationId) : null
  if (organization) await runBeforeHook(beforeDeleteOrganization, organization, caller.user)
  const about = { userId: caller.user.id, organizationId }
  const remove = (actor: Actor) =>
    logEventsOnceCommitted(
      (act) => deleteOrganization(sql, actor, client.event(act, 'organization-deleted', about)),
      isRowFound,
    )
  const deleted = (await remove(first)) ?? (await remove(await check()))
  if (!deleted) throw new Failure('NOT_A_MEMBER')
  await runAfterHook(deps, afterDeleteOrganization, deleted, caller.user)
  return deleted
}

/**
 * `null` deactivates the active organization. Without id and slug, the active one is chosen again. A refusal changes
 * nothing.
 */
export async function chooseActiveOrganization(
  deps: Deps,
  caller: Caller,
  input: Input<typeof calls.setActive>,
): Promise<Output<typeof calls.setActive>> {
  const { organizationId, organizationSlug } = input
  if (organizationId === null && organizationSlug === undefined) {
    await clearActiveOrganization(deps.sql, caller.session.id)
    return null
  }
  const chosen = { organizationId: organizationId ?? undefined, organizationSlug }
  const organization = await getFullOrganization(deps, caller, chosen, 'primary')
  if (!organization) return null
  const isChosen = await setActiveOrganization(deps.sql, caller.session, organization.id)
  if (!isChosen) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return withoutTeams(organization)
}

type Metadata = Readonly<Record<string, unknown>>
type Path = readonly [string, ...string[]]

const maxLength = 16_384
const maxDepth = 5
/** NUL and lone surrogates as JSON escapes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/**
 * Accepts an object, or JSON text of one, and returns the object. Refuses anything else, and metadata that is too long
 * or too deep. `path`: its field in the input.
 */
function parseMetadata(given: Metadata | string | null, path: Path): Metadata | null {
  const parsed = typeof given === 'string' ? parse(given, path) : given
  if (parsed === null) return null
  const isRecord = typeof parsed === 'object' && !Array.isArray(parsed)
  if (!isRecord) throw wrong(path, 'an object, or the JSON text of one')
  if (isDeeper(parsed, maxDepth)) throw wrong(path, `at most ${maxDepth} levels`)
  const text = JSON.stringify(parsed)
  if (text.length > maxLength) throw wrong(path, `at most ${maxLength} characters of JSON`)
  // The input was already checked for characters that PostgreSQL cannot store, but not for their escapes inside JSON
  // text.
  if (typeof given === 'string' && unstorable.test(text)) throw wrong(path, 'texts without NUL and lone surrogates')
  return parsed as Metadata
}

function parse(text: string, path: Path): unknown {
  try {
    return sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
  } catch (cause) {
    throw wrong(path, 'an object, or the JSON text of one', cause)
  }
}

const wrong = (path: Path, expected: string, cause?: unknown) =>
  new Failure('INVALID_BODY', { cause, details: [inputProblem(path, expected)] })

/** Stops at the limit: thousands of levels would overflow the stack. */
const isDeeper = (value: unknown, levels: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
