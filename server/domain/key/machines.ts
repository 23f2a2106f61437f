import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { inLastTrip, inOneTrip, type Sql } from '../../db/connect.ts'
import type { organizationOfKey } from '../../db/machine-keys.ts'
import {
  deleteMachines,
  listSponsored,
  type SponsoredMachine,
  setSponsor,
  setSponsors,
} from '../../db/machine-users.ts'
import { type Actor, findActor, type MemberRoles } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { holdSession, requireLiveSession, requireMachineCreator, requireMachineEnder } from './rights.ts'

/** A machine user, described by its key or its trust rule. */
interface Machine {
  /** Id of the key or of the rule. */
  readonly id: string
  readonly userId: string
  readonly organizationId: string | null
  readonly role: readonly string[] | null
  readonly sponsorId: string | null
}

/** How to look up a machine by the id of its key or trust rule. */
interface MachineLookUp<M> {
  readonly id: string
  readonly find: (tx: Sql, id: string) => Promise<M | null>
  /** A subquery for its organization. */
  readonly organizationOf: typeof organizationOfKey
}

/**
 * The statements of one trip that lock a machine's organization, and find behind the lock the machine and the member
 * who acts on it.
 */
export const lockAndFindMachine = <M>({ user }: Caller, { id, find, organizationOf }: MachineLookUp<M>) =>
  [
    (sql: Sql) => lockOrganization(sql, organizationOf(sql, id)),
    (sql: Sql) => find(sql, id),
    (sql: Sql) => findActor(sql, organizationOf(sql, id), user.id),
  ] as const

interface Adoption<M extends Machine> extends MachineLookUp<M> {
  /** The event that records it. */
  readonly name: 'key-adopted' | 'trust-adopted'
  /** Refuses callers who may not see the machine, and machines that nobody can adopt. */
  readonly requireVisible: (
    machine: M | null,
    actor: Actor | null,
  ) => { readonly machine: M; readonly actor: MemberRoles }
}

/** Makes the caller responsible for a machine. From then on, it never has more permissions than the caller. */
export function adoptMachine<M extends Machine>(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { name, requireVisible, ...lookUp }: Adoption<M>,
): Promise<M> {
  const sponsor = requireFreshSession(caller)
  return transactionWithEvents(sql, client.requireRoom(null, name), async (tx) => {
    const [, found, member, isLive] = await inOneTrip(tx, ...lockAndFindMachine(caller, lookUp), (sql) =>
      holdSession(sql, caller),
    )
    const { machine, actor } = requireVisible(found, member)
    const { id: target, userId, organizationId, role, sponsorId: from } = machine
    requireMachineCreator(config, actor, role ?? [])
    requireLiveSession(isLive)
    if (from === sponsor.userId) return machine
    const event = client.event(tx, name, { userId: sponsor.userId, organizationId, target, from })
    const [, adopted] = await inLastTrip(
      tx,
      (sql) => setSponsor(sql, userId, sponsor, event),
      (sql) => lookUp.find(sql, target),
    )
    return adopted ?? machine
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

/** The member who ends the machines. */
interface Ender {
  readonly config: Config
  readonly standing: MemberRoles
  readonly caller: Caller
}

/**
 * Revokes the machines that a user is responsible for, behind the lock on the organization: all or none, and only if
 * the caller could revoke each. Returns how many.
 */
export async function revokeMachines(
  tx: Tx<MachineEvent>,
  client: Client,
  sponsor: Sponsor,
  { config, standing, caller }: Ender,
): Promise<number> {
  const machines = await listSponsored(tx, sponsor.organizationId, sponsor.userId)
  for (const { roles: role } of machines)
    requireMachineEnder(config, standing, caller, { role, sponsorId: sponsor.userId })
  const events = machines.map(({ keyId, trustId }) => {
    const about = { userId: caller.user.id, organizationId: sponsor.organizationId, target: keyId ?? trustId ?? '' }
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
 * Returns how many. Who leaves cannot adopt their own: nobody would be responsible for them.
 */
export async function adoptMachines(
  tx: Tx<MachineEvent>,
  client: Client,
  sponsor: Sponsor,
  { config, standing, mayAdd }: Adopter,
): Promise<number> {
  if (sponsor.userId === mayAdd.userId) throw new Failure('KEY_ADOPT_FORBIDDEN')
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
