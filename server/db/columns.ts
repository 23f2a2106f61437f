import postgres from 'postgres'
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
  entity: Entity,
  table?: string,
): Columns<z.output<Entity>> => listOf(sql, [columnText(entity, table)])

/** The same of a step (common table expression) that named them by `columnsOf`: there each is called as its field. */
export const fieldsOf = <Entity extends z.ZodObject>(
  sql: Sql,
  entity: Entity,
  step?: string,
): Columns<z.output<Entity>> => listOf(sql, [fieldText(entity, step)])

/** The fields of such a step as names and values, for `json_build_object`. Dates inside JSON are text. */
export const jsonFieldsOf = (sql: Sql, entity: z.ZodObject, step: string): postgres.Fragment =>
  listOf(sql, [jsonText(entity, step)])

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
    Object.entries<string | postgres.Fragment>(fields).flatMap(([field, made]) => [
      ', ',
      typeof made === 'string' ? quoted(made) : made,
      ` as ${quoted(field)}`,
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
    fields.map((field) => `, ${quoted(field, step)}`),
  )

/** Columns after others. */
export const both = <One, Other>(sql: Sql, one: Columns<One>, other: Columns<Other>): Columns<One & Other> =>
  listOf(sql, [one, ', ', other])

type Nulls<Row> = { readonly [Field in keyof Row]-?: null }

/** Of a row that may be missing, as by a `left join`: then all of them are null. */
export const optional = <Row>(columns: Columns<Row>): Columns<Row | Nulls<Row>> => columns as Columns<Row | Nulls<Row>>

/** Said of a field that a new row leaves to the database: to its default. */
export const byDatabase = Symbol('by the database')
/** Said of a field that an edit leaves as it is. */
export const unchanged = Symbol('unchanged')

type Scalar = string | number | boolean | Date | null
/** A value goes as a parameter; what is made by SQL, or needs a type, as a fragment. */
type Given<Value> = Extract<Value, Scalar> | postgres.Fragment

type NewRow<Row> = { readonly [Field in keyof Row]-?: Given<Row[Field]> | typeof byDatabase }
type Edit<Row> = { readonly [Field in keyof Row]-?: Given<Row[Field]> | typeof unchanged | undefined }

/**
 * What follows `insert into <table>`: names and a `select` of their values, which may go on with `from` and `where`. Each field
 * of the entity is spoken of: a forgotten one does not compile. `others`: columns of the table that are none of its fields.
 */
export function newRow<Entity extends z.ZodObject>(
  sql: Sql,
  entity: Entity,
  fields: NewRow<z.output<Entity>>,
  others: Readonly<Record<string, Scalar | Buffer | postgres.Fragment>> = {},
): postgres.Fragment {
  const said = [...Object.entries(saidOf(entity, fields)), ...Object.entries(others)]
  const given = said.filter(([, value]) => value !== byDatabase)
  const names = given.map(([name]) => quoted(name)).join(', ')
  const texts = given.map((_, n) => (n === 0 ? `(${names}) select ` : ', '))
  return sql(templateOf([...texts, '']), ...given.map(([, value]) => value as postgres.Fragment))
}

/** What follows `update <table> set`. Each field of the entity is spoken of here, too; one that is undefined stays as it is. */
export const changesOf = <Entity extends z.ZodObject>(
  sql: Sql,
  entity: Entity,
  fields: Edit<z.output<Entity>>,
): postgres.Fragment =>
  listOf(
    sql,
    Object.entries(saidOf(entity, fields)).flatMap(([column, value]) => {
      if (value === unchanged) return []
      const name = quoted(column)
      return value === undefined ? [`, ${name} = ${name}`] : [`, ${name} = `, sql`${value as postgres.Fragment}`]
    }),
  )

/** By the names of the columns, in the order of the schema. */
const saidOf = (entity: z.ZodObject, fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.keys(entity.shape).map((field) => [renamed[field] ?? field, Reflect.get(fields, field)]))

/** A name as SQL spells it, quoted; dots divide the table from its column. */
const quoted = (name: string, table?: string): string =>
  `"${postgres.fromCamel(table === undefined ? name : `${table}.${name}`).replaceAll('.', '"."')}"`

/** The text of a list, made once for each schema and table: the driver would spell each of the names with each statement. */
function textOnce(piece: (field: string, table?: string) => string) {
  const known = new WeakMap<z.ZodObject, Map<string | undefined, string>>()
  return (entity: z.ZodObject, table?: string): string => {
    const texts = known.get(entity) ?? new Map<string | undefined, string>()
    const text =
      texts.get(table) ??
      Object.keys(entity.shape)
        .map((field) => piece(field, table))
        .join('')
    known.set(entity, texts.set(table, text))
    return text
  }
}

const columnText = textOnce((field, table) => {
  const column = renamed[field]
  return `, ${quoted(column ?? field, table)}${column === undefined ? '' : ` as ${quoted(field)}`}`
})
const fieldText = textOnce((field, step) => `, ${quoted(field, step)}`)
const jsonText = textOnce((field, step) => `, '${field}', ${quoted(field, step)}`)

/** Texts and fragments one after the other; the first comma falls off. */
function listOf<Row>(sql: Sql, pieces: readonly (string | postgres.Fragment)[]): Columns<Row> {
  const texts = ['']
  const fragments: postgres.Fragment[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') texts.push(`${texts.pop()}${piece}`)
    else {
      fragments.push(piece)
      texts.push('')
    }
  }
  const [first = '', ...others] = texts
  return sql(templateOf([first.replace(/^, /, ''), ...others]), ...fragments) as unknown as Columns<Row>
}

const templates = new Map<string, TemplateStringsArray>()

/**
 * The same object for the same text: the driver keeps each template that it has seen for ever. The text is made of the names
 * in our schemas, never of what anybody sent.
 */
function templateOf(texts: readonly string[]): TemplateStringsArray {
  const key = texts.join('$')
  const known = templates.get(key) ?? Object.assign([...texts], { raw: texts })
  templates.set(key, known)
  return known
}
