import postgres from 'postgres'

/** A statement's text. The same object each time, so the driver can look it up by identity. */
interface FixedStatement {
  readonly text: string
  /** The types that the values themselves decide, by parameter. 0: the server decides. */
  readonly types: readonly number[]
  /** Whether each connection keeps it, parsed and planned, for the next time. */
  readonly isKept: boolean
}

type Query = postgres.PendingQuery<postgres.Row[]>

/** What our patch adds to the driver. */
export interface PipeliningDriver extends postgres.Sql {
  /** A query for a statement that the driver looks up by identity. With `isRaw`, its rows are given as they came. */
  readonly fixed: (statement: FixedStatement, values: readonly unknown[], isRaw: boolean) => Query
  /**
   * Sends the statements in one round trip; outside a transaction, all or none take effect. Rejects with the first
   * failure. `isShort`: the whole trip has one query's deadline.
   */
  readonly together: (queries: readonly Query[], isShort?: boolean) => Promise<unknown[]>
}

/** The driver's connection of a transaction. */
export interface TransactionDriver extends PipeliningDriver {
  /** Sends the last statements: the commit travels with them. */
  readonly finish: PipeliningDriver['together']
}

/** Answers a statement. */
export type Send = (statement: Statement) => Promise<unknown>

const quotedNames = new Map<string, string>()

/**
 * Quotes a SQL name. Results are kept for good, so never pass user input. A dot separates the table from its column.
 */
export function quotedName(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const quoted = `"${postgres.fromCamel(name).replaceAll('"', '""').replaceAll('.', '"."')}"`
  quotedNames.set(name, quoted)
  return quoted
}

class Name {
  readonly text: string

  constructor(name: string) {
    this.text = quotedName(name)
  }
}

/** A value whose type is not visible. */
class TypedValue {
  readonly value: unknown
  readonly type: number

  constructor(value: unknown, type: number) {
    this.value = value
    this.type = type
  }
}

const jsonb = 3802

/** A statement or a part of one. A part is never sent; a statement is sent when it is first awaited. */
export class Statement {
  readonly texts: TemplateStringsArray
  readonly parts: readonly unknown[]
  readonly #send: Send
  #answer: Promise<unknown> | undefined
  #isRaw = false

  constructor(texts: TemplateStringsArray, parts: readonly unknown[], send: Send) {
    this.texts = texts
    this.parts = parts
    this.#send = send
  }

  /** Sends it now, once. */
  execute(): Promise<unknown> {
    this.#answer ??= this.#send(this)
    return this.#answer
  }

  get isRaw(): boolean {
    return this.#isRaw
  }

  /** The same, for rows that nobody reads. */
  executeRaw(): Promise<unknown> {
    this.#isRaw = true
    return this.execute()
  }

  // biome-ignore lint/suspicious/noThenProperty: to await a statement is to send it
  // oxlint-disable-next-line unicorn/no-thenable
  then(...on: Parameters<Promise<unknown>['then']>): Promise<unknown> {
    return this.execute().then(...on)
  }

  catch(...on: Parameters<Promise<unknown>['catch']>): Promise<unknown> {
    return this.execute().catch(...on)
  }

  finally(...on: Parameters<Promise<unknown>['finally']>): Promise<unknown> {
    return this.execute().finally(...on)
  }
}

const manyForms = new WeakSet<object>()

/**
 * Marks a part that callers shape in many ways. A statement with it is parsed and planned at each call. Otherwise each
 * connection would keep every form as long as it lives: 60 MB of those of list-members alone.
 */
export function oneOfMany<Part extends object>(part: Part): Part {
  manyForms.add(part)
  return part
}

/** The tag of a pool or a transaction. With a string in place of a template it makes a name. */
export function statementTag(send: Send) {
  const tag = (texts: TemplateStringsArray | string, ...parts: readonly unknown[]): Statement | Name =>
    typeof texts === 'string' ? new Name(texts) : new Statement(texts, parts, send)
  return Object.assign(tag, { json: (value: unknown) => new TypedValue(value, jsonb) })
}

/** A trie: each node caches, for good, what the keys on the way to it decide. */
export class ShapeCache<Made> {
  readonly #next = new Map<unknown, ShapeCache<Made>>()
  #made: Made | undefined

  step(key: unknown): ShapeCache<Made> {
    const known = this.#next.get(key)
    if (known) return known
    const next = new ShapeCache<Made>()
    this.#next.set(key, next)
    return next
  }

  made(make: () => Made): Made {
    this.#made ??= make()
    return this.#made
  }
}

/** A trie keyed by template, names and value types; each leaf caches the composed statement. */
const statements = new ShapeCache<FixedStatement>()

/**
 * The driver's query for a statement. Its text is composed for the first statement of its shape only; each statement's
 * own values are gathered.
 */
export function queryOf(statement: Statement, driver: PipeliningDriver): Query {
  const values: unknown[] = []
  return driver.fixed(fixedOf(statement, values), values, statement.isRaw)
}

/** The text that a statement is sent with, which has no values. */
export const textOf = (statement: Statement): string => fixedOf(statement, []).text

const fixedOf = (statement: Statement, values: unknown[]): FixedStatement =>
  walk(statement, statements, values).made(() => compose(statement))

function walk(
  { texts, parts }: Statement,
  from: ShapeCache<FixedStatement>,
  values: unknown[],
): ShapeCache<FixedStatement> {
  let shape = from.step(texts)
  for (const part of parts) {
    if (part instanceof Statement) shape = walk(part, shape, values)
    else if (part instanceof Name) shape = shape.step(part.text)
    else {
      shape = shape.step(typeOf(part))
      values.push(valueOf(part))
    }
  }
  return shape
}

function compose(statement: Statement): FixedStatement {
  const types: number[] = []
  return { text: composeText(statement, types), types, isKept: !isOneOfMany(statement) }
}

const isOneOfMany = (statement: Statement): boolean =>
  manyForms.has(statement) || statement.parts.some((part) => part instanceof Statement && isOneOfMany(part))

const composeText = ({ texts, parts }: Statement, types: number[]): string =>
  texts.reduce((text, next, index) => `${text}${composePart(parts[index - 1], types)}${next}`)

function composePart(part: unknown, types: number[]): string {
  if (part instanceof Statement) return composeText(part, types)
  if (part instanceof Name) return part.text
  return `$${types.push(typeOf(part))}`
}

function valueOf(part: unknown): unknown {
  const value = part instanceof TypedValue ? part.value : part
  if (value === undefined) throw new TypeError('A statement has no value for a parameter')
  return value
}

/** The type that a value itself decides. The server decides that of texts, numbers, lists and null. */
function typeOf(part: unknown): number {
  if (typeof part === 'boolean') return 16
  if (part instanceof TypedValue) return part.type
  if (part instanceof Date) return 1184
  return part instanceof Uint8Array ? 17 : 0
}
