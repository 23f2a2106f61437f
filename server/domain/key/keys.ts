import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type {
  adoptKey as AdoptKeyCall,
  createKey as CreateKeyCall,
  listKeys as List,
  revokeKey as RevokeKeyCall,
  rotateKey as RotateKeyCall,
  viewKey as View,
} from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { defaultOverlap, type MachineKey } from '../../../shared/machine-key.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { createMachineKey, digestOf, keyHintOf } from '../../crypto/token.ts'
import type { Sql } from '../../db/connect.ts'
import {
  createOrganizationKey,
  createPersonalKey,
  deleteKey,
  listKeys as find,
  findKey,
  lockKey,
  lockKeyOwner,
  type NewKey,
  organizationOfKey,
  type StoredKey,
  rotateKey as storeRotation,
} from '../../db/machine-keys.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import type { OrganizationReader } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { mapPage, type PageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { record } from '../audit/record.ts'
import { can, readAsMember, requireAllowed, requireKnownMemberRoles, requirePermission } from '../organization/roles.ts'
import { adoptMachine } from './machines.ts'
import {
  canCreateMachine,
  canSeeKeys,
  keyView,
  requireAddressRanges,
  requireKnownScopes,
  requireLiveSession,
  requireMemberCreator,
  requireVisibleKey,
  type VisibleKey,
} from './rights.ts'

type CreateKeyInput = Input<typeof CreateKeyCall>

/** The only answer that contains the secret. */
export async function createKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  asked: CreateKeyInput,
): Promise<Output<typeof CreateKeyCall>> {
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
    await store(tx, config, caller, [asked, key])
    await record(tx, client, 'key-created', about)
    return found(await findKey(tx, key.id))
  })
  return { ...keyView(config, made), token }
}

/** Finds a key that the current transaction has just created or changed. */
function found(key: StoredKey | null): StoredKey {
  if (!key) throw new Failure('KEY_NOT_FOUND')
  return key
}

function requireValidKey(config: Config, { role, scopes = [], ipRanges = [], expiresIn = 0 }: CreateKeyInput): void {
  if (role) requireKnownMemberRoles(config, role)
  requireKnownScopes(config, scopes)
  requireAddressRanges(ipRanges)
  if (expiresIn > config.KEY_MAX_AGE) throw new Failure('KEY_LIFE_TOO_LONG')
}

const newKey = (config: Config, createdBy: SignInMethodCapability, asked: CreateKeyInput, token: string): NewKey => ({
  id: uuid(),
  name: asked.name,
  hash: digestOf(token),
  hint: keyHintOf(token),
  scopes: asked.scopes ? [...new Set(asked.scopes)] : null,
  ipRanges: asked.ipRanges ?? [],
  createdBy,
  seconds: asked.expiresIn ?? Math.min(config.KEY_EXPIRES_IN, config.KEY_MAX_AGE),
  limit: config.KEY_LIMIT,
})

async function store(tx: Sql, config: Config, caller: Caller, [asked, key]: [CreateKeyInput, NewKey]): Promise<void> {
  const { organizationId, role: roles = [], name } = asked
  if (organizationId === undefined) {
    await lockKeyOwner(tx, caller.user.id)
    await requireLiveSession(tx, caller)
    if (!(await createPersonalKey(tx, key))) throw new Failure('KEY_LIMIT_REACHED')
  } else {
    await requireMemberCreator(tx, config, caller, { organizationId, roles })
    await requireLiveSession(tx, caller)
    const machine = { userId: uuid(), memberId: uuid(), name, organizationId, roles }
    if (!(await createOrganizationKey(tx, key, machine))) throw new Failure('KEY_LIMIT_REACHED')
  }
}

/** Concurrent rotations run one after the other: each gets a secret, and the second ends the first one's. */
export async function rotateKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId, overlap = defaultOverlap, expiresIn }: Input<typeof RotateKeyCall>,
): Promise<Output<typeof RotateKeyCall>> {
  const by = caller.key ?? requireFreshSession(caller)
  if (expiresIn !== undefined && expiresIn > config.KEY_MAX_AGE) throw new Failure('KEY_LIFE_TOO_LONG')
  const token = createMachineKey()
  const rotation = { by, hash: digestOf(token), hint: keyHintOf(token), overlap, seconds: expiresIn ?? null }
  const rotated = await transactionWithEvents(sql, client.requireRoom(null, 'key-rotated'), async (tx) => {
    // Locks the session before the key. Every call that ends both uses this order.
    await requireLiveSession(tx, caller)
    const locked = await lockKey(tx, keyId, caller.key && !caller.key.isKey ? caller.key.id : null)
    const known = await requireVisibleKey(tx, config, caller, locked)
    if (caller.key && expiresIn !== undefined) throw new Failure('KEY_ROTATE_FORBIDDEN')
    requireAllowed(known.actor, (actor) => mayRotate(config, { ...known, actor }), 'KEY_ROTATE_FORBIDDEN')
    if (!locked?.isNamed) throw new Failure('KEY_ROTATE_UNNAMED')
    // A new secret of an expired key would never work.
    if (!(await storeRotation(tx, keyId, rotation))) throw new Failure('KEY_EXPIRED')
    const { organizationId } = known.key
    await record(tx, client, 'key-rotated', { userId: caller.user.id, organizationId, target: keyId, overlap })
    return found(await findKey(tx, keyId))
  })
  return { ...keyView(config, rotated), token }
}

/**
 * Whoever rotates a key gets hold of its secret. For an organization's key, the caller needs the permission to replace
 * it and every permission that the key has.
 */
function mayRotate(config: Config, { key, actor }: VisibleKey): boolean {
  if (key.organizationId === null) return true
  return can(config, actor, 'member:delete') && canCreateMachine(config, actor, key.role ?? [])
}

/** No request that begins after the answer can use the key. */
export async function revokeKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof RevokeKeyCall>,
): Promise<Output<typeof RevokeKeyCall>> {
  const revoked = await transactionWithEvents(sql, client.requireRoom(null, 'key-revoked'), async (tx) => {
    const found = await findKey(tx, keyId)
    if (found?.organizationId) await lockOrganization(tx, found.organizationId)
    const { key, actor } = await requireVisibleKey(tx, config, caller, found)
    const { organizationId, userId } = key
    if (organizationId !== null) requirePermission(config, actor, 'member:delete', 'KEY_REVOKE_FORBIDDEN')
    const isGone =
      organizationId === null ? await deleteKey(tx, keyId) : await deleteMachine(tx, organizationId, userId)
    if (!isGone) throw new Failure('KEY_NOT_FOUND')
    await record(tx, client, 'key-revoked', { userId: caller.user.id, organizationId, target: keyId })
    return key
  })
  return keyView(config, revoked)
}

export async function adoptKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof AdoptKeyCall>,
): Promise<Output<typeof AdoptKeyCall>> {
  const lock = async (tx: Sql) => {
    await lockOrganization(tx, organizationOfKey(tx, keyId))
    const { key: machine, actor } = await requireVisibleKey(tx, deps.config, caller, await findKey(tx, keyId))
    if (machine.organizationId === null) throw new Failure('KEY_ADOPT_FORBIDDEN')
    return { machine, actor }
  }
  return keyView(deps.config, await adoptMachine(deps, client, caller, { name: 'key-adopted', lock, find: findKey }))
}

/**
 * Lists the keys of the named organization, or else the caller's own. The session's active organization plays no part.
 */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<PageOf<MachineKey>> {
  const page = readPageRequest(asked, rowLimitFor(deps.config.KEY_LIMIT))
  const keys =
    organizationId === undefined
      ? await find(deps.sql, { userId: caller.user.id }, page)
      : await readMachines(deps, caller, organizationId, (sql, of) => find(sql, { of }, page))
  return mapPage(keys, (key) => keyView(deps.config, key))
}

/** Reads something of an organization's machines. Refuses callers who may not see them. */
export async function readMachines<T>(
  deps: Deps,
  caller: Caller,
  organizationId: string,
  read: (sql: Sql, reader: OrganizationReader) => PromiseLike<T>,
): Promise<T> {
  const failures = { none: 'NOT_A_MEMBER_FORBIDDEN', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const { actor, found } = await readAsMember(deps, caller, { ...failures, named: organizationId }, read)
  requireAllowed(actor, (as) => canSeeKeys(deps.config, as), 'KEY_LIST_FORBIDDEN')
  return found
}

export async function viewKey(
  { sql, config }: Deps,
  caller: Caller,
  { keyId }: Input<typeof View>,
): Promise<Output<typeof View>> {
  const { key } = await requireVisibleKey(sql, config, caller, await findKey(sql, keyId))
  return keyView(config, key)
}
