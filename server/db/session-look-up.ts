import type { FullUser } from '../../shared/entities.ts'
import type { ActiveOrganization, ReadAlong } from '../request/client.ts'
import { checkedRows } from './checked-row.ts'
import { inOneTrip, type Sql } from './connect.ts'
import { isSponsored } from './organization-actors.ts'
import { standbyError } from './outage.ts'
import type { Lifetimes, StoredSession } from './sessions.ts'

export interface FoundSession {
  readonly session: StoredSession
  readonly user: FullUser
  readonly organization: ActiveOrganization | null
  readonly remembered: boolean
  /** Label of the secret that last signed the cookie. Null when unknown. */
  readonly secretLabel: Buffer | null
  /** Whether it began at the service from which its user moved in. */
  readonly isImported: boolean
  readonly isFresh: boolean
  /** The trust rule by which a machine signed in. Null for a person. */
  readonly trustId: string | null
  /** False for a machine without an active member who is responsible for it. */
  readonly isSponsored: boolean
  readonly isExpired: boolean
  /** Whether the session should be extended now. */
  readonly isDue: boolean
  /** Seconds until it expires. */
  readonly remaining: number
}

/** The answer for one token: it repeats the token's hash, and has nulls when there is no session. */
type LookUpAnswer = { asked: string; isStandby: boolean } & (SessionRow | { id: null })

interface SessionRow extends StoredSession, Omit<FullUser, 'id' | 'createdAt' | 'updatedAt'> {
  remembered: boolean
  secretLabel: Buffer | null
  isImported: boolean
  trustId: string | null
  isSponsored: boolean
  isExpired: boolean
  /** Seconds, with fractions. */
  remaining: number
  /** Seconds since a person last proved who they are. */
  proofAge: number
  userCreatedAt: Date
  userUpdatedAt: Date
  organization: ActiveOrganization | null
}

type Rows = ReadonlyMap<string, LookUpAnswer>

/** The batched look-ups of each pool. */
const lookUps = new WeakMap<Sql, LookUpBatcher<Rows>>()

/**
 * Finds the session of a token with its user. Null for a banned user. Concurrent session look-ups are batched into one
 * statement. `along` is sent in the same round trip, unless as many such trips are under way as the pool has
 * connections: then it is left out, because under load, batched look-ups are faster than one trip each.
 */
export async function findSession(
  sql: Sql,
  tokenHash: Buffer,
  lifetimes: Lifetimes,
  along?: ReadAlong,
): Promise<FoundSession | null> {
  const key = tokenHash.toString('hex')
  const trips = tripsAlong.get(sql) ?? 0
  const rows = await (along && trips < sql.options.max ? lookUpAlong(sql, key, along) : lookUpsOf(sql).join(key))
  const row = rows.get(key)
  // Every key has a row. A missing one is a fault, and never means that nobody is signed in.
  if (!row) throw sql.distrust()
  if (row.isStandby) throw standbyError()
  return row.id === null ? null : foundOf(row, lifetimes)
}

/** How many look-ups of each pool share their round trip with another read. */
const tripsAlong = new WeakMap<Sql, number>()

async function lookUpAlong(sql: Sql, key: string, along: ReadAlong): Promise<Rows> {
  const count = (change: number) => tripsAlong.set(sql, (tripsAlong.get(sql) ?? 0) + change)
  count(1)
  try {
    const lookUp = (one: Sql) => findSessions(one, new Batch(key, 0))
    const [rows] = await inOneTrip(sql, lookUp, along as (one: Sql) => Promise<void>)
    return rows
  } finally {
    count(-1)
  }
}

function lookUpsOf(sql: Sql): LookUpBatcher<Rows> {
  const known = lookUps.get(sql)
  if (known) return known
  const made = new LookUpBatcher((batch) => findSessions(sql, batch))
  lookUps.set(sql, made)
  return made
}

/**
 * Returns a row for each token hash, which repeats it, so no other answer can pass for this person or for nobody. Times
 * are the database's. The hashes are the only parameter, since each further one would cost every request. `limit 1`
 * makes every look-up the same index scan, however many there are. With `unnest` the planner would count the elements,
 * find a plan for these few cheaper than the cached one, and plan anew each time. For `string_to_table` it always
 * expects the same number.
 */
async function findSessions(sql: Sql, batch: Batch): Promise<Rows> {
  // The driver accepts any object with a text form, which its types do not say.
  const hashes = batch as unknown as string
  const rows = await sql<LookUpAnswer[]>`
    select asked.hash as asked, pg_is_in_recovery() as is_standby, found.*
    from string_to_table(${hashes}, ',') as asked (hash)
    left join lateral (
      select
        s.id, s.user_id, s.expires_at, s.created_at, s.updated_at, s.ip_address, s.user_agent, s.label,
        s.active_organization_id, s.active_team_id,
        s.impersonated_by, coalesce(s.proven_email = u.email, false) as address_proven, s.remembered, s.secret_label, s.imported as is_imported, s.trust_id, s.expires_at <= now() as is_expired,
        case when s.trust_id is null then true else ${isSponsored(sql)} end as is_sponsored,
        extract(epoch from s.expires_at - now())::float8 as remaining,
        extract(epoch from now() - s.authenticated_at)::float8 as proof_age,
        u.email, u.name, u.email_verified, u.language, u.image, u.roles as role, u.banned, u.ban_reason, u.ban_expires,
        u.fields, u.created_at as user_created_at, u.updated_at as user_updated_at,
        case when s.active_organization_id is not null then (
          select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles)
          from members m join organizations o on o.id = m.organization_id
          where m.organization_id = s.active_organization_id and m.user_id = s.user_id
        ) end as organization
      from sessions s
      join users u on u.id = s.user_id and (u.banned is not true or u.ban_expires <= now())
      where s.token_hash = decode(asked.hash, 'hex')
      limit 1
    ) found on true
  `
  return checkedRows(sql, rows, batch.keys)
}

/** Returns whether a proof made `proofAge` seconds ago still counts as fresh. */
export const isFreshProof = (proofAge: number, { freshAge }: Pick<Lifetimes, 'freshAge'>): boolean =>
  freshAge === 0 || proofAge < freshAge

/** A machine's session is never fresh: a token was proven, but no person. Nor is an impersonation. */
const isFresh = ({ impersonatedBy, trustId, proofAge }: SessionRow, lifetimes: Lifetimes): boolean =>
  impersonatedBy === null && trustId === null && isFreshProof(proofAge, lifetimes)

const isDue = (
  { remembered, remaining, createdAt, expiresAt }: SessionRow,
  { expiresIn, updateAge, maxAge }: Lifetimes,
): boolean =>
  remembered && remaining <= expiresIn - updateAge && expiresAt.getTime() < createdAt.getTime() + maxAge * 1000

const foundOf = (row: SessionRow, lifetimes: Lifetimes): FoundSession => ({
  organization: row.organization,
  remembered: row.remembered,
  secretLabel: row.secretLabel,
  isImported: row.isImported,
  isFresh: isFresh(row, lifetimes),
  trustId: row.trustId,
  isSponsored: row.isSponsored,
  isExpired: row.isExpired,
  isDue: isDue(row, lifetimes),
  remaining: Math.floor(row.remaining),
  session: {
    id: row.id,
    userId: row.userId,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    label: row.label,
    activeOrganizationId: row.activeOrganizationId,
    activeTeamId: row.activeTeamId,
    impersonatedBy: row.impersonatedBy,
    addressProven: row.addressProven,
  },
  user: userOf(row),
})

const userOf = (row: SessionRow): FullUser => ({
  id: row.userId,
  email: row.email,
  name: row.name,
  image: row.image,
  emailVerified: row.emailVerified,
  language: row.language,
  createdAt: row.userCreatedAt,
  updatedAt: row.userUpdatedAt,
  role: row.role,
  banned: row.banned,
  banReason: row.banReason,
  banExpires: row.banExpires,
  fields: row.fields,
})

/** The largest number of keys in one statement. */
export const maxBatchKeys = 32

/**
 * Milliseconds. Short compared with the wait for a connection, so the last key to join keeps nearly all of that wait.
 */
const defaultJoinTime = 100

/**
 * The keys of one statement, and its parameter. On a connection that has prepared the statement, the driver serialises
 * the parameter when it sends it. Until then more keys can join.
 */
export class Batch {
  readonly keys: Set<string>
  readonly #closesAt: number
  #isOpen = true

  constructor(first: string, joinTime: number) {
    this.keys = new Set([first])
    this.#closesAt = performance.now() + joinTime
  }

  get isOpen(): boolean {
    return this.#isOpen && this.keys.size < maxBatchKeys && performance.now() < this.#closesAt
  }

  close(): void {
    this.#isOpen = false
  }

  toString(): string {
    this.close()
    return [...this.keys].join(',')
  }
}

/** Looks up a whole batch with one statement. */
type RunBatch<Rows> = (batch: Batch) => Promise<Rows>

/**
 * Concurrent look-ups of one kind are batched into one statement. The first look-up is sent at once. Look-ups that
 * arrive meanwhile are gathered until the turn of the event loop ends, or until a connection is free for their
 * statement. No look-up waits for others to arrive.
 */
export class LookUpBatcher<Rows> {
  readonly #ask: RunBatch<Rows>
  readonly #joinTime: number
  #underWay = 0
  #last: { readonly batch: Batch; readonly rows: Promise<Rows> } | undefined

  constructor(ask: RunBatch<Rows>, joinTime = defaultJoinTime) {
    this.#ask = ask
    this.#joinTime = joinTime
  }

  /** Adds the key to a batch and returns the rows of that batch. A failed statement fails for every key in it. */
  join(key: string): Promise<Rows> {
    if (this.#last?.batch.isOpen) this.#last.batch.keys.add(key)
    else this.#last = this.#begin(key)
    return this.#last.rows
  }

  #begin(key: string) {
    const batch = new Batch(key, this.#joinTime)
    return { batch, rows: this.#send(batch) }
  }

  async #send(batch: Batch): Promise<Rows> {
    if (this.#underWay > 0) await endOfTurn()
    this.#underWay += 1
    try {
      return await this.#ask(batch)
    } finally {
      // Also when it got no connection: the next look-up starts a new batch.
      this.#underWay -= 1
      batch.close()
      if (this.#last?.batch === batch) this.#last = undefined
    }
  }
}

/** Resolves once all input that was already available has been read. */
const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
