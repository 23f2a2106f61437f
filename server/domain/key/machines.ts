import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import {
  deleteMachines,
  listSponsored,
  type SponsoredMachine,
  setSponsor,
  setSponsors,
} from '../../db/machine-users.ts'
import type { MemberRoles } from '../../db/organization-actors.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { requireLiveSession, requireMachineCreator } from './rights.ts'

/** A machine user, described by its key or its trust rule. */
interface Machine {
  /** Id of the key or of the rule. */
  readonly id: string
  readonly userId: string
  readonly organizationId: string | null
  readonly role: readonly string[] | null
  readonly sponsorId: string | null
}

/** How to look up a machine, and the event that records its adoption. */
interface Adoption<M extends Machine> {
  readonly name: 'key-adopted' | 'trust-adopted'
  /** Finds the machine and locks its organization. Refuses callers who may not see it. */
  readonly lock: (tx: Sql) => Promise<{ readonly machine: M; readonly actor: MemberRoles }>
  readonly find: (tx: Sql, id: string) => Promise<M | null>
}

/** Makes the caller responsible for a machine. From then on, it never has more permissions than the caller. */
export function adoptMachine<M extends Machine>(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { name, lock, find }: Adoption<M>,
): Promise<M> {
  const sponsor = requireFreshSession(caller)
  return transactionWithEvents(sql, client.requireRoom(null, name), async (tx) => {
    const { machine, actor } = await lock(tx)
    const { id: target, userId, organizationId, role, sponsorId: from } = machine
    requireMachineCreator(config, actor, role ?? [])
    await requireLiveSession(tx, caller)
    if (from === sponsor.userId) return machine
    const event = client.event(tx, name, { userId: sponsor.userId, organizationId, target, from })
    await setSponsor(tx, userId, sponsor, event)
    return (await find(tx, target)) ?? machine
  })
}

/** The events for machines whose sponsor leaves. */
export const machineEvents = ['key-revoked', 'trust-deleted', 'key-adopted', 'trust-adopted'] as const
export type MachineEvent = (typeof machineEvents)[number]

/** A member and the organization whose machines they are responsible for. */
export interface Sponsor {
  readonly organizationId: string
  readonly userId: string
}

/** Revokes the machines that a user is responsible for, behind the lock on the organization. Returns how many. */
export async function revokeMachines(
  tx: Tx<MachineEvent>,
  client: Client,
  sponsor: Sponsor,
  userId: string,
): Promise<number> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    return client.event(tx, keyId === null ? 'trust-deleted' : 'key-revoked', about)
  })
  if (machines.length > 0) await deleteMachines(tx, machines.map(idOf), events)
  return machines.length
}

/** The member who takes the machines over. */
export interface Adopter {
  readonly config: Config
  readonly standing: MemberRoles
  readonly mayAdd: SignInMethodCapability
}

/**
 * Makes another member responsible for the machines: all or none, and only if that member could have created them.
 * Returns how many.
 */
export async function adoptMachines(
  tx: Tx<MachineEvent>,
  client: Client,
  sponsor: Sponsor,
  { config, standing, mayAdd }: Adopter,
): Promise<number> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  for (const { roles } of machines) requireMachineCreator(config, standing, roles)
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId: mayAdd.userId, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
    const name = keyId === null ? 'trust-adopted' : 'key-adopted'
    return client.event(tx, name, { ...about, from: sponsor.userId })
  })
  if (machines.length > 0) await setSponsors(tx, machines.map(idOf), mayAdd, events)
  return machines.length
}

const idOf = ({ userId }: SponsoredMachine): string => userId
