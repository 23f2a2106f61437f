import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import { deleteMachines, listSponsored, type SponsoredMachine, setSponsorOfAll } from '../../db/machine-users.ts'
import type { Standing } from '../../db/standing.ts'
import type { AuditEvent } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import type { MayAddWayIn } from '../../request/way-in.ts'
import { requireAdopter } from './rights.ts'

/** Whose machines of which organization. */
export interface Sponsor {
  readonly organizationId: string
  readonly userId: string
}

/** Ends the machines that somebody is responsible for, behind the lock on the organization; answers what the trail says of each. */
export async function revokeMachines(
  tx: Sql,
  client: Client,
  sponsor: Sponsor,
  userId: string,
): Promise<readonly AuditEvent[]> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    return keyId === null ? client.event('trust-deleted', about) : client.event('key-revoked', about)
  })
  if (machines.length > 0) await deleteMachines(tx, machines.map(idOf), events)
  return events
}

/** Who takes the machines over. */
export interface Adopter {
  readonly config: Config
  readonly standing: Standing
  readonly mayAdd: MayAddWayIn
}

/** Makes somebody else responsible for them: all or none, and only for what that one might have made. */
export async function adoptMachines(
  tx: Sql,
  client: Client,
  sponsor: Sponsor,
  { config, standing, mayAdd }: Adopter,
): Promise<readonly AuditEvent[]> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  for (const { roles } of machines) requireAdopter(config, standing, roles)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId: mayAdd.userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    const name = keyId === null ? 'trust-adopted' : 'key-adopted'
    return client.event(name, { ...about, from: sponsor.userId })
  })
  if (machines.length > 0) await setSponsorOfAll(tx, machines.map(idOf), mayAdd, events)
  return events
}

const idOf = ({ userId }: SponsoredMachine): string => userId
