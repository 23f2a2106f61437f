import type { PublicKey, SigningKey, TokenAlgorithm } from '../../shared/token.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

export interface StoredKey extends SigningKey {
  /** Without the members that the row stores in columns of its own. */
  readonly publicKey: Omit<PublicKey, 'alg' | 'use' | 'kid'>
  readonly privateKey: Buffer
  /** The longest lifetime, in seconds, of a token signed by this key. */
  readonly tokenLife: number
  /** Seconds until the key begins to sign; negative once it has begun. */
  readonly signsIn: number
  /** Seconds for which the key is still published. Null: until another key follows. */
  readonly publishedFor: number | null
}

export interface NewKey {
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly publicKey: Readonly<Record<string, string>>
  readonly privateKey: Buffer
  /** Seconds. */
  readonly tokenLife: number
}

/** Seconds. */
export interface KeyTimes {
  /** How long the new key is published before it signs. */
  readonly lead: number
  /** How long the previous key is published after that, in addition to the lifetime of its tokens. */
  readonly overlap: number
}

const queryKey = 'signing keys'

/**
 * Lists all keys, including expired ones, newest first. Each row repeats the query's key, so no other answer can be
 * mistaken for signing keys. Times count from the clock, since a statement that had to wait began before the keys it
 * finds.
 */
export async function findSigningKeys(sql: Sql): Promise<readonly StoredKey[]> {
  const rows = await sql<({ asked: string } & (StoredKey | { id: null }))[]>`
    select q.asked, k.id, k.algorithm, k.public_key, k.private_key, k.token_life, k.created_at, k.signs_from, k.published_until,
      extract(epoch from k.signs_from - clock_timestamp())::float8 as signs_in,
      extract(epoch from k.published_until - clock_timestamp())::float8 as published_for
    from (select ${queryKey}::text as asked) q
    left join signing_keys k on true
    order by k.published_until is null desc, k.signs_from desc, k.id desc
  `
  if (rows.length === 0 || rows.some((row) => row.asked !== queryKey)) throw sql.distrust()
  return rows.filter((row) => row.id !== null)
}

export const isPublished = ({ publishedFor }: StoredKey): boolean => publishedFor === null || publishedFor > 0

export const findPublishedKeys = async (sql: Sql): Promise<readonly StoredKey[]> =>
  (await findSigningKeys(sql)).filter(isPublished)

/** Keeps others from adding or removing keys until the transaction ends. */
const lockKeys = (tx: Sql) => tx`lock table signing_keys in share row exclusive mode`

interface NewestKey {
  /** Null when no key is the newest. */
  readonly id: string | null
  readonly isPending: boolean
  /** The number of all keys. */
  readonly count: number
}

const findNewestKey = (tx: Sql) =>
  one(tx<NewestKey[]>`
    select max(id) filter (where published_until is null) as id,
      coalesce(bool_or(published_until is null and signs_from > now()), false) as is_pending, count(*)::integer as count
    from signing_keys
  `)

/** The statements of one trip that lock the keys and find the newest one. */
export const lockAndFindNewestKey = [lockKeys, findNewestKey] as const

/**
 * The statements of one trip that add a new newest key. The previous one stays published until its last token has
 * expired. With `revokes` all previous ones are deleted, which invalidates the tokens that they signed.
 */
export const signingKeyInserts = (key: NewKey, { lead, overlap }: KeyTimes, revokes: boolean) =>
  [
    (tx: Sql) => tx`delete from signing_keys where ${revokes}`,
    (tx: Sql) => tx`
      update signing_keys set published_until = now() + make_interval(secs => ${lead + overlap} + token_life)
      where published_until is null
    `,
    (tx: Sql) => tx`
      insert into signing_keys (id, algorithm, public_key, private_key, token_life, signs_from)
      values (
        ${key.id}, ${key.algorithm}, ${JSON.stringify(key.publicKey)}::text::jsonb, ${key.privateKey},
        ${key.tokenLife}, now() + make_interval(secs => ${lead})
      )
    `,
  ] as const

/** Stores a private key sealed with another secret, unless another process did so already. */
export const resealSigningKey = (sql: Sql, id: string, before: Buffer, after: Buffer) => sql`
  update signing_keys set private_key = ${after} where id = ${id} and private_key = ${before}
`

/** Records that tokens can live longer than before, so that their key stays published for as long. */
export const raiseTokenLife = (sql: Sql, seconds: number) => sql`
  update signing_keys set token_life = ${seconds} where published_until is null and token_life < ${seconds}
`

/** Deletes keys whose tokens have all expired. */
export const deleteUnpublishedKeys = (sql: Sql) => sql`delete from signing_keys where published_until <= now()`
