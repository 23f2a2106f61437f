import { v7 as uuid } from 'uuid'
import type { createUser as Call } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import { type Ban, insertManagedUser, type ManagedUser } from '../../db/managed-users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireMoment } from '../../request/moment.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { checkPassword } from '../account/password-rules.ts'
import { record } from '../audit/record.ts'
import { act } from './act.ts'
import { covers, isGranted, type Person, personOf, requireKnownRoles, requirePlatformPermission } from './permission.ts'

type Ask = Input<typeof Call>

/** The hash is made outside any transaction. */
export async function createUser(deps: Deps, client: Client, caller: Caller, ask: Ask): Promise<Output<typeof Call>> {
  const right = { permission: 'user:create', failure: 'USER_CREATE_FORBIDDEN' } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const room = client.requireRoom(null, 'user-created')
  const draft = draftOf(deps, ask)
  requireRights(deps, personOf(caller), draft)
  const password = await deps.passwords.hash(ask.password, queueSenderOf(client))
  const user = await act(deps, caller, { ...right, room }, async (tx, actor) => {
    requireRights(deps, actor, draft)
    const made = await insertManagedUser(tx, { ...draft, password })
    if (!made) throw new Failure('USER_EXISTS_ALREADY')
    const role = textOfRoles(draft.roles)
    await record(tx, client, 'user-created', { userId: actor.id, targetUserId: made.id, role })
    return made
  })
  return { user }
}

type Draft = Omit<ManagedUser, 'password'>

function draftOf({ config }: Deps, { email, name, password, role, data = {} }: Ask): Draft {
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const roles = role ?? data.role ?? [config.DEFAULT_ROLE]
  requireKnownRoles(config, roles)
  checkPassword(config, password, [email, name])
  return {
    id: uuid(),
    accountId: uuid(),
    email: canonicalEmail(email),
    name,
    image: data.image ?? null,
    provenAddress: data.emailVerified ? ProvenAddress.statedByAdmin(canonicalEmail(email)) : null,
    roles,
    ban: banOf(data),
  }
}

const banOf = ({ banned, banReason, banExpires }: NonNullable<Ask['data']>): Ban | null =>
  banned
    ? {
        reason: banReason ?? null,
        until: banExpires ? requireMoment(banExpires, 'INVALID_BODY', ['data', 'banExpires']) : null,
      }
    : null

/**
 * What else than a user is made needs its own right. A mailbox that counts as proven is as much as a role: the settings may
 * name its address.
 */
function requireRights({ config }: Deps, actor: Person, { id, provenAddress, roles, ban }: Draft): void {
  const isUsual = roles.length === 1 && roles[0] === config.DEFAULT_ROLE && provenAddress === null
  const mayGive = isGranted(config, actor, 'user:set-role') && covers(config, actor, { id, provenAddress, role: roles })
  if (!isUsual && !mayGive) throw new Failure('USER_ROLE_FORBIDDEN')
  if (ban && !isGranted(config, actor, 'user:ban')) throw new Failure('USER_BAN_FORBIDDEN')
}
