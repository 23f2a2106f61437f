export type Cell = string | number | boolean | Date | readonly string[] | null | undefined

export interface Column<T> {
  readonly header: string
  readonly value: (item: T) => Cell
  /** Never shortened: an id has to be copied whole. */
  readonly isWhole?: boolean
}
