export type Cell = string | number | boolean | Date | readonly string[] | null | undefined

export interface Column<T> {
  readonly header: string
  readonly value: (item: T) => Cell
  /** What a program gets, where people are told less. */
  readonly full?: (item: T) => Cell
  /**
   * Ids shrink first, to an ending that no other row has. An `argument` is what commands take, also by its ending: it stands
   * last, and stays however narrow the page is. A `reference` is of something else, or of what the first column names as well.
   */
  readonly id?: 'argument' | 'reference'
  /** What people read first is never cut: it goes on below. It is `always` there, or where there is `room` for it. */
  readonly whole?: 'always' | 'room'
}
