import type { RawList } from './raw-list.ts'

/** The requested range of a list. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** The rows of a page, and the offset of the next page. Null on the last page. */
export interface PageOf<T, Rows = readonly T[]> {
  readonly rows: Rows
  readonly next: number | null
}

/** The same of rows that are only passed on. */
export type RawPageOf<T> = PageOf<T, RawList<T>>

/** An answer with a part of a list, and the offset of the next part. Null at the end. */
export interface PartOf<T> {
  readonly answer: T
  readonly next: number | null
}

/** Where the list goes on after so many rows of this page. */
export function nextOffset({ offset }: PageRequest, count: number, total: number): number | null {
  const end = offset + count
  return count > 0 && end < total ? end : null
}

/** Makes a page from rows that were read with one more than the limit. The extra row only shows that there are more. */
export const toPage = <Rows>(rows: Cut<Rows>, { limit, offset }: PageRequest): PageOf<never, Rows> => ({
  rows: rows.slice(0, limit),
  next: rows.length > limit ? offset + limit : null,
})

interface Cut<Rows> {
  readonly length: number
  slice(start: number, end: number): Rows
}

/** Converts each row of a page. */
export const mapPage = <From, To>({ rows, next }: PageOf<From>, change: (row: From) => To): PageOf<To> => ({
  rows: rows.map(change),
  next,
})

interface PageQuery {
  readonly limit?: string | undefined
  readonly offset?: string | undefined
}

/** The most rows in one answer, however high a limit is set. */
const maxRows = 1000

/**
 * As many rows as the setting allows to exist, but at least a hundred: there may be more from before it was lowered.
 */
export const rowLimitFor = (setting: number): number => Math.min(Math.max(setting, 100), maxRows)
/** As many members as the setting says, and no more. */
export const memberLimitFor = (setting: number): number => Math.min(setting, maxRows)

/** Reads a number from the query. Anything but a whole number counts as absent. */
const parseCount = (text: string | undefined): number => (text && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/** The requested page, limited to what one answer may hold. */
export const readPageRequest = ({ limit, offset }: PageQuery, max: number): PageRequest => ({
  limit: Math.min(parseCount(limit) || max, max),
  offset: parseCount(offset),
})
