import type { PublicKey, SigningKey, TokenAlgorithm } from '../../shared/token.ts'
import type { Sql } from './connect.ts'
import { oneOrNone } from './own-row.ts'

export interface StoredKey extends SigningKey {
  /** Without what its row says besides. */
  readonly publicKey: Omit<PublicKey, 'alg' | 'use' | 'kid'>
  readonly privateKey: Buffer
  /** Seconds that a token which it signs may live. */
  readonly tokenLife: number
  /** Seconds until it signs, below 0 when it does. */
  readonly signsIn: number
  /** Seconds that it is published; null: until another key follows. */
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
  /** How long the new key is only published. */
  readonly lead: number
  /** How long the one before it is published after that, besides the life of its tokens. */
  readonly overlap: number
}

const asked = 'signing keys'

/**
 * All keys, the newest first; those too whose time is over. Each row says what was asked, so that no other answer can pass for
 * keys. Times count from the clock: a statement that had to wait began before the keys that it finds did.
 */
export async function findSigningKeys(sql: Sql): Promise<readonly StoredKey[]> {
  const rows = await sql<({ asked: string } & (StoredKey | { id: null }))[]>`
    select q.asked, k.id, k.algorithm, k.public_key, k.private_key, k.token_life, k.created_at, k.signs_from, k.published_until,
      extract(epoch from k.signs_from - clock_timestamp())::float8 as signs_in,
      extract(epoch from k.published_until - clock_timestamp())::float8 as published_for
    from (select ${asked}::text as asked) q
    left join signing_keys k on true
    order by k.published_until is null desc, k.signs_from desc, k.id desc
  `
  if (rows.length === 0 || rows.some((row) => row.asked !== asked)) throw sql.distrust()
  return rows.filter((row) => row.id !== null)
}

export const isPublished = ({ publishedFor }: StoredKey): boolean => publishedFor === null || publishedFor > 0

export const findPublishedKeys = async (sql: Sql): Promise<readonly StoredKey[]> =>
  (await findSigningKeys(sql)).filter(isPublished)

/** Lets nobody else add or remove keys until the transaction ends, and answers which is the newest. */
export async function lockNewestKey(tx: Sql): Promise<{ readonly id: string; readonly isPending: boolean } | null> {
  await tx`lock table signing_keys in share row exclusive mode`
  return oneOrNone(tx<{ id: string; isPending: boolean }[]>`
    select id, signs_from > now() as is_pending from signing_keys where published_until is null
  `)
}

/** Adds a key after the newest, which is published until the last token that it may sign has expired. */
export async function insertSigningKey(tx: Sql, key: NewKey, { lead, overlap }: KeyTimes): Promise<void> {
  await tx`
    update signing_keys set published_until = now() + make_interval(secs => ${lead + overlap} + token_life)
    where published_until is null
  `
  await tx`
    insert into signing_keys (id, algorithm, public_key, private_key, token_life, signs_from)
    values (
      ${key.id}, ${key.algorithm}, ${JSON.stringify(key.publicKey)}::text::jsonb, ${key.privateKey},
      ${key.tokenLife}, now() + make_interval(secs => ${lead})
    )
  `
}

/** Takes all keys back, and so what they signed; answers how many there were. */
export async function deleteSigningKeys(tx: Sql): Promise<number> {
  return (await tx`delete from signing_keys`).count
}

/** Keeps a private key under another secret, unless somebody else did. */
export const resealSigningKey = (sql: Sql, id: string, before: Buffer, after: Buffer) => sql`
  update signing_keys set private_key = ${after} where id = ${id} and private_key = ${before}
`

/** Says that tokens live longer than was known: their key has to be published for as long. */
export const raiseTokenLife = (sql: Sql, seconds: number) => sql`
  update signing_keys set token_life = ${seconds} where published_until is null and token_life < ${seconds}
`

/** Those of which every token has expired. */
export const deleteUnpublishedKeys = (sql: Sql) => sql`delete from signing_keys where published_until <= now()`
