import type { FullUser } from '../../shared/entities.ts'
import type { ActiveOrganization } from '../request/client.ts'
import type { Sql } from './connect.ts'
import { isSponsored } from './organization-actors.ts'
import { ownRows } from './own-row.ts'
import type { Lifetimes, StoredSession } from './sessions.ts'

export interface FoundSession {
  readonly session: StoredSession
  readonly user: FullUser
  readonly organization: ActiveOrganization | null
  readonly remembered: boolean
  /** Of the secret that signed its cookie last; null where that is unknown. */
  readonly secretLabel: Buffer | null
  readonly isFresh: boolean
  /** The trust rule by which a machine signed in; null: a person did. */
  readonly trustId: string | null
  /** False: of a machine of nobody who may act in its organization. */
  readonly isSponsored: boolean
  readonly isExpired: boolean
  /** Whether it is time to extend it. */
  readonly isDue: boolean
  /** Seconds until it expires. */
  readonly remaining: number
}

/** What came back for a token: what was asked for, and nulls where there is no session. */
type Answer = { asked: string } & (SessionRow | { id: null })

interface SessionRow extends StoredSession, Omit<FullUser, 'id' | 'createdAt' | 'updatedAt'> {
  remembered: boolean
  secretLabel: Buffer | null
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

type Rows = ReadonlyMap<string, Answer>

/** The look-ups of each pool. */
const lookUps = new WeakMap<Sql, Batches<Rows>>()

/** The session of a token with its user; a banned user has none. Those that are asked for at the same time are one statement. */
export async function findSession(sql: Sql, tokenHash: Buffer, lifetimes: Lifetimes): Promise<FoundSession | null> {
  const key = tokenHash.toString('hex')
  const row = (await lookUpsOf(sql).join(key)).get(key)
  // There is one for each key: to miss it would be a fault, and never means that nobody is signed in.
  if (!row) throw sql.distrust()
  return row.id === null ? null : foundOf(row, lifetimes)
}

function lookUpsOf(sql: Sql): Batches<Rows> {
  const known = lookUps.get(sql)
  if (known) return known
  const made = new Batches((batch) => findSessions(sql, batch))
  lookUps.set(sql, made)
  return made
}

/**
 * A row for each token's hash, which repeats it: no other answer can pass for this person, or for nobody. Time is the
 * database's, and the only parameter is the hashes: each more would cost every request of everybody. `limit 1` makes every
 * look-up the same index scan, however many there are. For `unnest` the planner would count them, find a plan for these few
 * cheaper than the one it keeps, and make one each time; of `string_to_table` it always expects the same.
 */
async function findSessions(sql: Sql, batch: Batch): Promise<Rows> {
  // The driver takes whatever has a text, which its types do not say.
  const hashes = batch as unknown as string
  const rows = await sql<Answer[]>`
    select asked.hash as asked, found.*
    from string_to_table(${hashes}, ',') as asked (hash)
    left join lateral (
      select
        s.id, s.user_id, s.expires_at, s.created_at, s.updated_at, s.ip_address, s.user_agent, s.label,
        s.active_organization_id,
        s.impersonated_by, coalesce(s.proven_email = u.email, false) as address_proven, s.remembered, s.secret_label, s.trust_id, s.expires_at <= now() as is_expired,
        case when s.trust_id is null then true else ${isSponsored(sql)} end as is_sponsored,
        extract(epoch from s.expires_at - now())::float8 as remaining,
        extract(epoch from now() - s.authenticated_at)::float8 as proof_age,
        u.email, u.name, u.email_verified, u.image, u.roles as role, u.banned, u.ban_reason, u.ban_expires,
        u.created_at as user_created_at, u.updated_at as user_updated_at,
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
  return ownRows(sql, rows, batch.keys)
}

/** Whether what a person proved so many seconds ago still counts as fresh. */
export const isFreshProof = (proofAge: number, { freshAge }: Pick<Lifetimes, 'freshAge'>): boolean =>
  freshAge === 0 || proofAge < freshAge

/** A machine has proven its token, and no person. */
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
    impersonatedBy: row.impersonatedBy,
    addressProven: row.addressProven,
  },
  user: {
    id: row.userId,
    email: row.email,
    name: row.name,
    image: row.image,
    emailVerified: row.emailVerified,
    createdAt: row.userCreatedAt,
    updatedAt: row.userUpdatedAt,
    role: row.role,
    banned: row.banned,
    banReason: row.banReason,
    banExpires: row.banExpires,
  },
})

/** Keys that one statement asks for at the most. */
export const mostKeys = 32

/** Milliseconds; short beside the time that a statement may wait for a connection: who joins last has nearly all of it. */
const usualJoinTime = 100

/**
 * The keys that one statement asks for, and its parameter. The driver makes the text when it sends it, over a connection that
 * knows the statement: until then more keys may join.
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
    return this.#isOpen && this.keys.size < mostKeys && performance.now() < this.#closesAt
  }

  close(): void {
    this.#isOpen = false
  }

  toString(): string {
    this.close()
    return [...this.keys].join(',')
  }
}

/** Asks for a whole batch with one statement. */
type Ask<Rows> = (batch: Batch) => Promise<Rows>

/**
 * Look-ups of one kind over one pool. The first is sent at once; those that come while it is under way are gathered until the
 * turn of the event loop ends, or until there is a connection for their statement. None waits for others to come.
 */
export class Batches<Rows> {
  readonly #ask: Ask<Rows>
  readonly #joinTime: number
  #underWay = 0
  #last: { readonly batch: Batch; readonly rows: Promise<Rows> } | undefined

  constructor(ask: Ask<Rows>, joinTime = usualJoinTime) {
    this.#ask = ask
    this.#joinTime = joinTime
  }

  /** The rows of the batch that takes the key in. What goes wrong with the statement goes wrong for everybody in it. */
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
      // One that found no connection, too: who comes next asks anew.
      this.#underWay -= 1
      batch.close()
      if (this.#last?.batch === batch) this.#last = undefined
    }
  }
}

/** When everything has been read that lay ready. */
const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
