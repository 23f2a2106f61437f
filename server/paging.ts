/** Which rows of a list are asked for. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The rows of a page, and the offset of the next page; null when this is the last. */
export interface Paged<T> {
  readonly rows: readonly T[]
  readonly next: number | null
}

/** From rows that were read with one more than the limit: the extra row only tells that there are more. */
export const paged = <T>(rows: readonly T[], { limit, offset }: Page): Paged<T> => ({
  rows: rows.slice(0, limit),
  next: rows.length > limit ? offset + limit : null,
})

interface Asked {
  readonly limit?: string | undefined
  readonly offset?: string | undefined
}

/** Rows of one answer, however high a limit is set. */
const longest = 1000

/** As many as a setting allows to exist, at least a hundred: there may be more from before it was lowered. */
export const rowsBy = (setting: number): number => Math.min(Math.max(setting, 100), longest)
/** As many members as the setting says, and no more. */
export const membersBy = (setting: number): number => Math.min(setting, longest)

/** Query numbers: what is no whole number counts as absent. */
const numberOf = (text: string | undefined): number => (text && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/** The page that was asked for, cut to what one answer may hold. */
export const pageOf = ({ limit, offset }: Asked, most: number): Page => ({
  limit: Math.min(numberOf(limit) || most, most),
  offset: numberOf(offset),
})
