import type { Config } from '../../config.ts'
import { deleteMachines, listSponsored, type SponsoredMachine, setSponsorOfAll } from '../../db/machine-users.ts'
import type { Standing } from '../../db/standing.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Client } from '../../request/client.ts'
import type { MayAddWayIn } from '../../request/way-in.ts'
import { requireAdopter } from './rights.ts'

/** Whose machines of which organization. */
export interface Sponsor {
  readonly organizationId: string
  readonly userId: string
}

/** Ends the machines that somebody is responsible for, behind the lock on the organization; answers how many. */
export async function revokeMachines(tx: Tx, client: Client, sponsor: Sponsor, userId: string): Promise<number> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    return client.event(tx, keyId === null ? 'trust-deleted' : 'key-revoked', about)
  })
  if (machines.length > 0) await deleteMachines(tx, machines.map(idOf), events)
  return machines.length
}

/** Who takes the machines over. */
export interface Adopter {
  readonly config: Config
  readonly standing: Standing
  readonly mayAdd: MayAddWayIn
}

/** Makes somebody else responsible for them: all or none, and only for what that one might have made. Answers how many. */
export async function adoptMachines(
  tx: Tx,
  client: Client,
  sponsor: Sponsor,
  { config, standing, mayAdd }: Adopter,
): Promise<number> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  for (const { roles } of machines) requireAdopter(config, standing, roles)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId: mayAdd.userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    const name = keyId === null ? 'trust-adopted' : 'key-adopted'
    return client.event(tx, name, { ...about, from: sponsor.userId })
  })
  if (machines.length > 0) await setSponsorOfAll(tx, machines.map(idOf), mayAdd, events)
  return machines.length
}

const idOf = ({ userId }: SponsoredMachine): string => userId
