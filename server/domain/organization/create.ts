import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { type create as Call, update } from '../../../shared/contract/organization.ts'
import type { User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { expectations, problemsIn } from '../../../shared/input-problem.ts'
import type { Member } from '../../../shared/organization.ts'
import { createOrganization, findUser, lockCreator, type NewOrganization } from '../../db/organizations.ts'
import { toldTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { OrganizationDraft } from '../../settings/extensions.ts'
import { mayOnPlatform } from '../admin/permission.ts'
import { runAfter, runBefore, wrongAnswer } from '../hooks.ts'
import { hideTeamIfOff } from './hide-teams.ts'
import { organizationLimitOf } from './limit.ts'
import { parseMetadata } from './metadata.ts'

type Create = Input<typeof Call>

/** Checks first, then one transaction that counts under a lock on the creator. */
export async function create(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  input: Create,
): Promise<Output<typeof Call>> {
  const { config, sql } = deps
  const creator = await creatorOf(deps, client, caller, input)
  if (!client.isServer) await refuseUnlessAllowed(deps, creator)
  const limit = await organizationLimitOf(deps, creator)
  const draft = await draftOf(deps, creator, input)
  const isOwn = caller?.user.id === creator.id && !input.keepCurrentActiveOrganization
  const id = uuid()
  const organization: Omit<NewOrganization, 'event'> = {
    ...draft,
    id,
    creator: { userId: creator.id, memberId: uuid(), roles: [config.CREATOR_ROLE] },
    teamId: config.TEAMS && config.DEFAULT_TEAM ? uuid() : null,
    sessionId: isOwn && caller ? caller.session.id : null,
    limit,
  }
  const made = await toldTransaction(sql, client.requireRoom(id, 'organization-created'), async (tx) => {
    if (!(await lockCreator(tx, creator.id))) throw new Failure('USER_NOT_FOUND')
    const event = client.event(tx, 'organization-created', { userId: creator.id, organizationId: id })
    const row = await createOrganization(tx, { ...organization, event })
    if (!row) throw new Failure('ORGANIZATION_LIMIT_REACHED')
    return row
  })
  const { memberId: _memberId, memberSince: createdAt, ...row } = made
  await runAfter(deps, config.extensions.afterCreateOrganization, row, creator)
  return { ...row, members: [hideTeamIfOff(config, founderOf(organization, createdAt))] }
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
  createdAt,
})

/** Only a trusted server and a platform admin create for somebody else. */
async function creatorOf(
  { config, sql }: Deps,
  { isServer }: Client,
  caller: Caller | null,
  { userId }: Create,
): Promise<User> {
  const mayName = isServer || (caller !== null && mayOnPlatform(config, caller, 'user:create'))
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
  const answer = await runBefore(mayCreateOrganization, creator)
  if (answer === false) throw new Failure('ORGANIZATION_CREATION_FORBIDDEN')
  if (answer !== true) throw wrongAnswer('mayCreateOrganization', 'true or false')
}

/** The draft from the input, or the one that the application's hook answers instead. */
async function draftOf(
  { config }: Deps,
  creator: User,
  { name, slug, logo, metadata }: Create,
): Promise<OrganizationDraft> {
  const draft = {
    name,
    slug: slug.toLowerCase(),
    logo: logo ?? null,
    metadata: parseMetadata(metadata ?? null, ['metadata']),
  }
  const changed = await runBefore(config.extensions.beforeCreateOrganization, draft, creator)
  return changed === undefined || changed === null ? draft : changedDraft(draft, changed)
}

/** A draft from the hook has to follow the same rules as input; what is wrong with it is logged. */
function changedDraft(draft: OrganizationDraft, changed: unknown): OrganizationDraft {
  if (typeof changed !== 'object' || changed instanceof Error)
    throw wrongAnswer('beforeCreateOrganization', 'nothing, or what shall be created')
  const checked = update.input.shape.data.safeParse(changed, expectations)
  if (!checked.success)
    throw new Failure('INVALID_BODY', { cause: checked.error, details: problemsIn(checked.error.issues, changed) })
  const { name = draft.name, slug = draft.slug, logo = draft.logo, metadata = draft.metadata } = checked.data
  return { name, slug: slug.toLowerCase(), logo, metadata: parseMetadata(metadata, ['metadata']) }
}
