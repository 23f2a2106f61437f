/** Which rows of a list are meant. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The rows of a page, and where the next one begins; null: there is none. */
export interface Paged<T> {
  readonly rows: readonly T[]
  readonly next: number | null
}

/** Of rows that were read with one too many: that one only tells that there are more. */
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

/** As many as may be by a setting, but a hundred: there may be more from before it was lowered. */
export const rowsBy = (setting: number): number => Math.min(Math.max(setting, 100), longest)
/** Members are shown as many as the setting says, and no more. */
export const membersBy = (setting: number): number => Math.min(setting, longest)

/** Query numbers: what is no whole number counts as absent. */
const numberOf = (text: string | undefined): number => (text && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/** What was asked for, as far as one answer may hold it. */
export const pageOf = ({ limit, offset }: Asked, most: number): Page => ({
  limit: Math.min(numberOf(limit) || most, most),
  offset: numberOf(offset),
})
