import type postgres from 'postgres'
import type * as z from 'zod'
import type { Sql } from './connect.ts'
import type { Columns } from './row-type.ts'

/** Columns that are not called as their field: what the wire calls a role is a list. */
const renamed: Readonly<Record<string, string>> = { role: 'roles' }

/**
 * The columns of an entity in its table, for `select` and `returning`: exactly those that its schema names. `table` is what
 * the statement calls the table.
 */
export const columnsOf = <Entity extends z.ZodObject>(
  sql: Sql,
  { shape }: Entity,
  table?: string,
): Columns<z.output<Entity>> =>
  listOf(
    sql,
    Object.keys(shape).flatMap((field): Piece[] => {
      const column = renamed[field]
      const piece: Piece = [', ', nameOf(sql, within(table, column ?? field))]
      return column === undefined ? [piece] : [piece, [' as ', nameOf(sql, field)]]
    }),
  )

/** The same of a step (common table expression) that named them by `columnsOf`: there each is called as its field. */
export const fieldsOf = <Entity extends z.ZodObject>(
  sql: Sql,
  { shape }: Entity,
  step?: string,
): Columns<z.output<Entity>> =>
  listOf(
    sql,
    Object.keys(shape).map((field) => [', ', nameOf(sql, within(step, field))]),
  )

/** The fields of such a step as names and values, for `json_build_object`. Dates inside JSON are text. */
export const jsonFieldsOf = (sql: Sql, { shape }: z.ZodObject, step: string): postgres.Fragment =>
  listOf(
    sql,
    Object.keys(shape).map((field) => [`, '${field}', `, nameOf(sql, within(step, field))]),
  )

/**
 * What stands in no table, or in another one: each field with the name of a column, or with what it is made of. A forgotten
 * one does not compile.
 */
export const computed = <Row extends object>(
  sql: Sql,
  fields: { readonly [Field in keyof Row]-?: string | postgres.Fragment },
): Columns<Row> =>
  listOf(
    sql,
    Object.entries<string | postgres.Fragment>(fields).flatMap(([field, made]): Piece[] => [
      [', ', typeof made === 'string' ? nameOf(sql, made) : made],
      [' as ', nameOf(sql, field)],
    ]),
  )

/** What a step says of yes or no, by the names of the fields. */
export const flagsOf = <Name extends string>(
  sql: Sql,
  step: string,
  ...fields: readonly Name[]
): Columns<Readonly<Record<Name, boolean>>> =>
  listOf(
    sql,
    fields.map((field) => [', ', nameOf(sql, within(step, field))]),
  )

/** Columns after others. */
export const both = <One, Other>(sql: Sql, one: Columns<One>, other: Columns<Other>): Columns<One & Other> =>
  listOf(sql, [
    [', ', one],
    [', ', other],
  ])

type Nulls<Row> = { readonly [Field in keyof Row]-?: null }

/** Of a row that may be missing, as by a `left join`: then all of them are null. */
export const optional = <Row>(columns: Columns<Row>): Columns<Row | Nulls<Row>> => columns as Columns<Row | Nulls<Row>>

const within = (table: string | undefined, name: string): string => (table === undefined ? name : `${table}.${name}`)

const names = new Map<string, postgres.Helper<string>>()

/** A name as the driver spells it. Kept: every pool spells alike, and making one takes longer than all else here. */
function nameOf(sql: Sql, name: string): postgres.Helper<string> {
  const known = names.get(name) ?? sql(name)
  names.set(name, known)
  return known
}

/** A part of a list, after the text before it. */
type Piece = readonly [before: string, part: postgres.Fragment | postgres.Helper<string>]

/** For however many pieces; the first comma falls off. */
const listOf = <Row>(sql: Sql, pieces: readonly Piece[]): Columns<Row> =>
  sql(templateOf(pieces), ...pieces.map(([, part]) => part)) as unknown as Columns<Row>

const templates = new Map<string, TemplateStringsArray>()

/**
 * The same object for the same text: the driver keeps each template that it has seen for ever. The text is made of the names
 * in our schemas, never of what anybody sent.
 */
function templateOf(pieces: readonly Piece[]): TemplateStringsArray {
  const texts = [...pieces.map(([before], index) => (index === 0 ? before.replace(', ', '') : before)), '']
  const key = texts.join('$')
  const known = templates.get(key) ?? Object.assign(texts, { raw: texts })
  templates.set(key, known)
  return known
}
