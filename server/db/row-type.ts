import type postgres from 'postgres'

declare const row: unique symbol

/** A part of a statement that names columns, and what they make of a row. */
export interface Columns<Row> extends postgres.Fragment {
  readonly [row]: Row
}

type Part = postgres.ParameterOrFragment<never>

/** What all columns among the parts make together; unknown where there are none. */
type RowOf<Parts> = Parts extends readonly [infer First, ...infer Rest]
  ? (First extends Columns<infer Row> ? Row : unknown) & RowOf<Rest>
  : unknown

type Flat<Row> = Row extends object ? { [Field in keyof Row]: Row[Field] } : never

type RowsOf<Parts> = RowOf<Parts> extends infer Row ? (unknown extends Row ? postgres.Row[] : Flat<Row>[]) : never

/**
 * The driver's tag. A statement's row is made of the columns that stand in it: nobody promises it by hand. A step (common
 * table expression) that names columns too is a fragment of its own, so that only what is answered counts.
 */
export type Tag = <Parts extends readonly Part[]>(
  text: TemplateStringsArray,
  ...parts: Parts
) => postgres.PendingQuery<RowsOf<Parts>>
