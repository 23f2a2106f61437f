import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { createMachineKey, digestOf, keyHintOf } from '../../crypto/token.ts'
import { inLastTrip, inOneTrip, type ReadSql, type Sql, withCommit } from '../../db/connect.ts'
import { readList } from '../../db/lists.ts'
import {
  createOrganizationKey,
  createPersonalKey,
  deleteKey,
  listKeys as find,
  findKey,
  lockKeyOwner,
  type NewKey,
  organizationOfKey,
  type StoredKey,
} from '../../db/machine-keys.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import {
  type Actor,
  findActor,
  lockOrganizationAndFindActor,
  type OrganizationReader,
} from '../../db/organization-actors.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { durationText } from '../../languages/words.ts'
import type { PendingAuditEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { mapPage, type PageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { listAsMember, requireAllowed } from '../organization/roles.ts'
import { adoptMachine, lockAndFindMachine } from './machines.ts'
import {
  canSeeKeys,
  holdSession,
  keyView,
  requireAddressRanges,
  requireKnownScopes,
  requireLiveSession,
  requireMachineEnder,
  requireMemberCreator,
  requireStored,
  requireVisibleKey,
} from './rights.ts'

type CreateKeyInput = Input<typeof calls.createKey>

/** The only answer that contains the secret. */
export async function createKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  asked: CreateKeyInput,
): Promise<Output<typeof calls.createKey>> {
  const { config, sql } = deps
  const mayAdd = requireFreshSession(caller)
  requireValidKey(config, asked)
  const token = createMachineKey()
  const key = newKey(config, mayAdd, asked, token)
  const about = {
    userId: caller.user.id,
    organizationId: asked.organizationId ?? null,
    target: key.id,
    role: formatRoles(asked.role ?? []),
    scopes: (key.scopes ?? []).join(' '),
  }
  const room = client.requireRoom(about.organizationId, 'key-created')
  const made = await transactionWithEvents(sql, room, async (tx) => {
    const insert = await prepareKey(tx, config, caller, [asked, key])
    const event = client.event(tx, 'key-created', about)
    const [isInserted, stored] = await inLastTrip(
      tx,
      (last) => insert(last, event),
      (last) => findKey(last, key.id),
    )
    if (!isInserted) throw new Failure('KEY_LIMIT_REACHED')
    return requireStored(stored)
  })
  return { ...keyView(config, made), token }
}

function requireValidKey(config: Config, { scopes = [], ipRanges = [], expiresIn = 0 }: CreateKeyInput): void {
  requireKnownScopes(config, scopes)
  requireAddressRanges(ipRanges)
  requireAllowedLife(config, expiresIn)
}

export function requireAllowedLife({ KEY_MAX_AGE }: Pick<Config, 'KEY_MAX_AGE'>, seconds: number): void {
  if (seconds > KEY_MAX_AGE)
    throw new Failure('KEY_LIFE_TOO_LONG', { field: durationText({ language: 'en' }, KEY_MAX_AGE) })
}

const newKey = (config: Config, createdBy: SignInMethodCapability, asked: CreateKeyInput, token: string): NewKey => ({
  id: newId(),
  name: asked.name,
  hash: digestOf(token),
  hint: keyHintOf(token),
  scopes: asked.scopes ? [...new Set(asked.scopes)] : null,
  ipRanges: asked.ipRanges ?? [],
  rotatesItself: asked.rotatesItself ?? false,
  createdBy,
  seconds: asked.expiresIn ?? Math.min(config.KEY_EXPIRES_IN, config.KEY_MAX_AGE),
  limit: config.KEY_LIMIT,
})

/** Returns false when there are too many keys. */
type InsertKey = (tx: Sql, event: PendingAuditEvent) => Promise<boolean>

/** Locks the owner and the caller's session, and decides whether the caller may create the key. */
async function prepareKey(
  tx: Sql,
  config: Config,
  caller: Caller,
  [{ organizationId, role: roles = [], name }, key]: [CreateKeyInput, NewKey],
): Promise<InsertKey> {
  const hold = (sql: Sql) => holdSession(sql, caller)
  if (organizationId === undefined) {
    const [, isLive] = await inOneTrip(tx, (sql) => lockKeyOwner(sql, caller.user.id), hold)
    requireLiveSession(isLive)
    return (last, event) => createPersonalKey(last, key, event)
  }
  const lock = (sql: Sql) => lockOrganizationAndFindActor(sql, organizationId, caller.user.id)
  const [actor, isLive] = await inOneTrip(tx, lock, hold)
  requireMemberCreator(config, actor, roles)
  requireLiveSession(isLive)
  const machine = { userId: newId(), memberId: newId(), name, organizationId, roles }
  return (last, event) => createOrganizationKey(last, key, machine, event)
}

/** No request that begins after the answer can use the key. */
export async function revokeKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof calls.revokeKey>,
): Promise<Output<typeof calls.revokeKey>> {
  const revoked = await transactionWithEvents(sql, client.requireRoom(null, 'key-revoked'), async (tx) => {
    const [, found, member] = await inOneTrip(tx, ...lockAndFindMachine(caller, byKey(keyId)))
    const { key, actor } = requireVisibleKey(config, caller, found, member)
    const { organizationId, userId } = key
    if (organizationId !== null) requireMachineEnder(config, actor, caller, key)
    const event = client.event(tx, 'key-revoked', { userId: caller.user.id, organizationId, target: keyId })
    const isGone = await withCommit(tx, (last) =>
      organizationId === null ? deleteKey(last, keyId, event) : deleteMachine(last, { organizationId, userId }, event),
    )
    if (!isGone) throw new Failure('KEY_NOT_FOUND')
    return key
  })
  return keyView(config, revoked)
}

export async function adoptKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof calls.adoptKey>,
): Promise<Output<typeof calls.adoptKey>> {
  const requireVisible = (found: StoredKey | null, member: Actor | null) => {
    const { key: machine, actor } = requireVisibleKey(deps.config, caller, found, member)
    if (machine.organizationId === null) throw new Failure('KEY_ADOPT_FORBIDDEN')
    return { machine, actor }
  }
  const adoption = { ...byKey(keyId), name: 'key-adopted', requireVisible } as const
  return keyView(deps.config, await adoptMachine(deps, client, caller, adoption))
}

const byKey = (id: string) => ({ id, find: findKey, organizationOf: organizationOfKey })

/**
 * Lists the keys of the named organization, or else the caller's own. The session's active organization plays no part.
 */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof calls.listKeys>,
  freshness: Freshness,
): Promise<PageOf<MachineKey>> {
  const page = readPageRequest(asked, rowLimitFor(deps.config.KEY_LIMIT))
  const keys =
    organizationId === undefined
      ? await readList(deps, freshness, (sql) => find(sql, { userId: caller.user.id }, page))
      : await listMachines(deps, caller, { organizationId, freshness }, (sql, of) => find(sql, { of }, page))
  return mapPage(keys, (key) => keyView(deps.config, key))
}

/** Reads something of an organization's machines. Refuses callers who may not see them. */
export async function listMachines<T>(
  deps: Deps,
  caller: Caller,
  { organizationId, freshness }: { readonly organizationId: string; readonly freshness: Freshness },
  read: (sql: ReadSql, reader: OrganizationReader) => PromiseLike<T>,
): Promise<T> {
  const failures = { none: 'NOT_A_MEMBER_FORBIDDEN', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const { actor, found } = await listAsMember(deps, caller, { ...failures, named: organizationId, freshness }, read)
  requireAllowed(actor, (as) => canSeeKeys(deps.config, as), 'KEY_LIST_FORBIDDEN')
  return found
}

export async function viewKey(
  { sql, config }: Deps,
  caller: Caller,
  { keyId }: Input<typeof calls.viewKey>,
): Promise<Output<typeof calls.viewKey>> {
  const [found, member] = await inOneTrip(
    sql,
    (one) => findKey(one, keyId),
    (one) => findActor(one, organizationOfKey(one, keyId), caller.user.id),
  )
  const { key } = requireVisibleKey(config, caller, found, member)
  return keyView(config, key)
}
