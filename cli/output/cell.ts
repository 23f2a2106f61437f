export type Cell = string | number | boolean | Date | readonly string[] | null | undefined

export interface Column<T> {
  readonly header: string
  readonly value: (item: T) => Cell
  /** What programs get, if people see less. */
  readonly full?: (item: T) => Cell
  /**
   * Id columns shrink first, to an ending that is unique among the rows. An `argument` is an id that commands take,
   * also by its ending: it is the last column and stays on every page. A `reference` is the id of something else, or of
   * what the first column names as well.
   */
  readonly id?: 'argument' | 'reference'
  /** Never cut: the text continues on the next line. `always` shows the column in any case, `room` only if it fits. */
  readonly whole?: 'always' | 'room'
}
