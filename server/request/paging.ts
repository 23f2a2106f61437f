/** Which rows of a list are asked for. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** The rows of a page, and the offset of the next page; null when this is the last. */
export interface PageOf<T> {
  readonly rows: readonly T[]
  readonly next: number | null
}

/** From rows that were read with one more than the limit: the extra row only tells that there are more. */
export const toPage = <T>(rows: readonly T[], { limit, offset }: PageRequest): PageOf<T> => ({
  rows: rows.slice(0, limit),
  next: rows.length > limit ? offset + limit : null,
})

/** The same page, with each row as something else. */
export const mapPage = <From, To>({ rows, next }: PageOf<From>, change: (row: From) => To): PageOf<To> => ({
  rows: rows.map(change),
  next,
})

interface Asked {
  readonly limit?: string | undefined
  readonly offset?: string | undefined
}

/** Rows of one answer, however high a limit is set. */
const maxRows = 1000

/** As many as a setting allows to exist, at least a hundred: there may be more from before it was lowered. */
export const maxRowsBy = (setting: number): number => Math.min(Math.max(setting, 100), maxRows)
/** As many members as the setting says, and no more. */
export const maxMembersBy = (setting: number): number => Math.min(setting, maxRows)

/** Query numbers: what is no whole number counts as absent. */
const numberOf = (text: string | undefined): number => (text && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/** The page that was asked for, cut to what one answer may hold. */
export const readPageRequest = ({ limit, offset }: Asked, max: number): PageRequest => ({
  limit: Math.min(numberOf(limit) || max, max),
  offset: numberOf(offset),
})
