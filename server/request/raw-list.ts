/** How the value of a field is written in an answer. */
export interface AnswerField {
  readonly name: string
  /**
   * `same`: as it is. `date` and `names`: as the schemas `date` and `roleNames` do. `members`: an object, whose members
   * the answer has itself. `other`: only `encode` knows.
   */
  readonly form: 'same' | 'date' | 'names' | 'members' | 'other'
  readonly encode: (value: unknown) => unknown
}

/**
 * Rows as the database sent them, for lists that nobody looks into on their way to the answer: to make objects of them
 * and JSON of those costs several times as much as to write the JSON from their bytes.
 */
export abstract class RawList<Row> {
  abstract readonly length: number
  abstract slice(start: number, end: number): RawList<Row>
  /** Reads one value of the last row. */
  abstract last<Name extends keyof Row & string>(name: Name): Row[Name] | undefined
  /** Reads all rows. */
  abstract map<T>(change: (row: Row) => T): T[]
  /** Reads all rows, and keeps some. */
  abstract filter(isKept: (row: Row) => boolean): RawList<Row>
  /** The list as JSON. Each row has these fields, in this order, and no other. */
  abstract toJson(fields: readonly AnswerField[]): string
}
