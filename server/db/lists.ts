import type { Freshness } from '../request/freshness.ts'
import type { PageOf } from '../request/paging.ts'
import { inOneTrip, type Sql } from './connect.ts'
import type { List, Replica } from './replica.ts'

/** Where a service reads and writes. */
interface Databases {
  readonly sql: Sql
  /** Undefined without DATABASE_REPLICA_URL: then everything below is one round trip to the primary, as written. */
  readonly replica?: Replica | undefined
}

/** Reads a list that the session alone entitles its caller to. */
export async function readList<T>({ sql, replica }: Databases, freshness: Freshness, list: List<T>): Promise<T> {
  if (!replica?.mayRead(freshness)) return list(sql)
  const answered = await replica.read(freshness, list)
  return answered ? answered.found : list(sql)
}

/**
 * Reads a list together with the row that lets the caller see it. Null without that row, which is always the primary's.
 * A replica that does not have it yet would leave the list empty, so it does not answer.
 */
export async function readCheckedList<C, T>(
  { sql, replica }: Databases,
  freshness: Freshness,
  check: List<C | null>,
  list: List<T>,
): Promise<readonly [C, T] | null> {
  if (!replica?.mayRead(freshness)) return readThenCheck(sql, check, list)
  const [answered, checked] = await Promise.all([replica.read(freshness, list, check), check(sql)])
  if (checked === null) return null
  return answered ? [checked, answered.found] : readThenCheck(sql, check, list)
}

/** In this order, so that a row that is removed in between gives null rather than an empty list. */
async function readThenCheck<C, T>(sql: Sql, check: List<C | null>, list: List<T>): Promise<readonly [C, T] | null> {
  const [found, checked] = await inOneTrip(sql, list, check)
  return checked === null ? null : [checked, found]
}

/**
 * Reads a list whose statement decides by itself what the caller may see. `confirm` asks the primary what is still true
 * of a replica's answer; undefined when the primary has to give the answer itself.
 */
export async function readConfirmedList<T>(
  { sql, replica }: Databases,
  freshness: Freshness,
  list: List<T>,
  confirm: (found: T) => PromiseLike<T | undefined>,
): Promise<T> {
  if (!replica?.mayRead(freshness)) return list(sql)
  const answered = await replica.read(freshness, list)
  const confirmed = answered ? await confirm(answered.found) : undefined
  return confirmed === undefined ? list(sql) : confirmed
}

interface Identified<Self> {
  readonly length: number
  map<T>(change: (row: { readonly id: string }) => T): T[]
  filter(isKept: (row: { readonly id: string }) => boolean): Self
}

/**
 * A replica's page without the rows whose ids the primary does not find any more. Undefined when there are such rows
 * and a next page: what it begins with counts them.
 */
export async function keepRows<Rows extends Identified<Rows>>(
  page: PageOf<never, Rows>,
  findIds: (ids: readonly string[]) => PromiseLike<readonly { readonly id: string }[]>,
): Promise<PageOf<never, Rows> | undefined> {
  const { rows, next } = page
  const found = new Set((await findIds(rows.map(({ id }) => id))).map(({ id }) => id))
  if (found.size === rows.length) return page
  return next === null ? { rows: rows.filter(({ id }) => found.has(id)), next } : undefined
}
