import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { createKey as Call } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { createMachineKey, hintOf } from '../../crypto/machine-key.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Sql } from '../../db/connect.ts'
import { createOrganizationKey, createOwnKey, findKey, lockKeyOwner, type NewKey } from '../../db/machine-keys.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { type MayAddWayIn, requireFresh } from '../../request/way-in.ts'
import { record } from '../audit/record.ts'
import { requireKnown } from '../organization/roles.ts'
import { keyView } from './authority.ts'
import { requireRanges } from './ip-ranges.ts'
import { requireLive, requireMaker } from './rights.ts'
import { requireScopes } from './scopes.ts'

type Asked = Input<typeof Call>

/** The only time that the secret leaves the service. */
export async function createKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  asked: Asked,
): Promise<Output<typeof Call>> {
  const { config, sql } = deps
  const mayAdd = requireFresh(caller)
  requireSound(config, asked)
  const token = createMachineKey()
  const key = newKey(config, mayAdd, asked, token)
  const about = {
    userId: caller.user.id,
    organizationId: asked.organizationId ?? null,
    target: key.id,
    role: textOfRoles(asked.role ?? []),
    scopes: (key.scopes ?? []).join(' '),
  }
  const made = await transaction(sql, async (tx) => {
    await store(tx, config, caller, [asked, key])
    await record(tx, client, 'key-created', about)
    return findKey(tx, key.id)
  })
  if (!made) throw new Error('A key that was just made is not there')
  return { ...keyView(config, made), token }
}

function requireSound(config: Config, { role, scopes = [], ipRanges = [], expiresIn = 0 }: Asked): void {
  if (role) requireKnown(config, role)
  requireScopes(config, scopes)
  requireRanges(ipRanges)
  if (expiresIn > config.KEY_MAX_AGE) throw new Failure('KEY_LIFE_TOO_LONG')
}

const newKey = (config: Config, createdBy: MayAddWayIn, asked: Asked, token: string): NewKey => ({
  id: uuid(),
  name: asked.name,
  hash: digestOf(token),
  hint: hintOf(token),
  scopes: asked.scopes ? [...new Set(asked.scopes)] : null,
  ipRanges: asked.ipRanges ?? [],
  createdBy,
  seconds: asked.expiresIn ?? Math.min(config.KEY_EXPIRES_IN, config.KEY_MAX_AGE),
  limit: config.KEY_LIMIT,
})

async function store(tx: Sql, config: Config, caller: Caller, [asked, key]: [Asked, NewKey]): Promise<void> {
  const { organizationId, role: roles = [], name } = asked
  if (organizationId === undefined) {
    await lockKeyOwner(tx, caller.user.id)
    await requireLive(tx, caller)
    if (!(await createOwnKey(tx, key))) throw new Failure('KEY_LIMIT_REACHED')
  } else {
    await requireMaker(tx, config, caller, { organizationId, roles })
    await requireLive(tx, caller)
    const machine = { userId: uuid(), memberId: uuid(), name, organizationId, roles }
    if (!(await createOrganizationKey(tx, key, machine))) throw new Failure('KEY_LIMIT_REACHED')
  }
}
