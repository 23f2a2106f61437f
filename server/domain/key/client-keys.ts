import type { ClientKey } from '../../../shared/client-key.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/client-key.ts'
import { keyPrefix } from '../../../shared/key-text.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { createKey, listKeys, revokeKey, viewKey } from './keys.ts'

export async function createClientKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  { name = 'API key', expiresIn }: Input<typeof calls.createClientKey>,
): Promise<Output<typeof calls.createClientKey>> {
  const { token, ...key } = await createKey(deps, client, caller, { name, expiresIn })
  return { ...clientKeyOf(key), key: token }
}

/** A person has so few keys that they are sorted here, and the part of them is cut here. */
export async function listClientKeys(
  deps: Deps,
  caller: Caller,
  asked: Input<typeof calls.listClientKeys>,
  freshness: Freshness,
): Promise<Output<typeof calls.listClientKeys>> {
  const { rows } = await listKeys(deps, caller, {}, freshness)
  const { limit, offset } = readPageRequest(asked, rowLimitFor(deps.config.KEY_LIMIT))
  return {
    apiKeys: sorted(rows, asked)
      .slice(offset, offset + limit)
      .map(clientKeyOf),
    total: rows.length,
    ...(asked.limit !== undefined && { limit }),
    ...(asked.offset !== undefined && { offset }),
  }
}

function sorted(
  rows: readonly MachineKey[],
  { sortBy, sortDirection = 'asc' }: Input<typeof calls.listClientKeys>,
): readonly MachineKey[] {
  if (sortBy === undefined) return rows
  const sign = sortDirection === 'asc' ? 1 : -1
  return rows.toSorted(({ [sortBy]: a }, { [sortBy]: b }) => sign * (a < b ? -1 : Number(a > b)))
}

export const getClientKey = async (
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof calls.getClientKey>,
): Promise<Output<typeof calls.getClientKey>> => clientKeyOf(await viewKey(deps, caller, { keyId: id }))

export async function deleteClientKey(
  deps: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof calls.deleteClientKey>,
): Promise<Output<typeof calls.deleteClientKey>> {
  await revokeKey(deps, client, caller, { keyId })
  return { success: true }
}

const clientKeyOf = ({ id, name, hint, ...key }: MachineKey): ClientKey => ({
  id,
  configId: 'default',
  name,
  start: keyPrefix,
  hint,
  prefix: keyPrefix,
  referenceId: key.organizationId ?? key.userId,
  enabled: true,
  expiresAt: key.expiresAt,
  createdAt: key.createdAt,
  updatedAt: key.createdAt,
  lastRequest: key.lastUsedAt,
  rateLimitEnabled: false,
  rateLimitMax: null,
  rateLimitTimeWindow: null,
  requestCount: 0,
  remaining: null,
  refillAmount: null,
  refillInterval: null,
  lastRefillAt: null,
  metadata: null,
  permissions: null,
})
