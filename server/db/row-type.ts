import type postgres from 'postgres'

declare const row: unique symbol

/** A fragment that selects columns, with the row type they produce. */
export interface Columns<Row> extends postgres.Fragment {
  readonly [row]: Row
}

type Part = postgres.ParameterOrFragment<never>

/** The row type of all columns among the parts; unknown when there are none. */
type RowOf<Parts> = Parts extends readonly [infer First, ...infer Rest]
  ? (First extends Columns<infer Row> ? Row : unknown) & RowOf<Rest>
  : unknown

type Flat<Row> = Row extends object ? { [Field in keyof Row]: Row[Field] } : never

type RowsOf<Parts> = RowOf<Parts> extends infer Row ? (unknown extends Row ? postgres.Row[] : Flat<Row>[]) : never

/**
 * The driver's tag. A statement's row type follows from its columns, so nobody declares it by hand. A step (common
 * table expression) that selects columns is a separate fragment, so only the columns of the answer count.
 */
export type Tag = <Parts extends readonly Part[]>(
  text: TemplateStringsArray,
  ...parts: Parts
) => postgres.PendingQuery<RowsOf<Parts>>
