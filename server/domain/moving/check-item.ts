import type * as z from 'zod'
import { MovedRecord } from '../../../shared/moving/records.ts'
import { nestedProblem } from './nested.ts'
import { type PreparedRecord, type PrepareParts, prepareRecord } from './prepare-record.ts'
import type { SourceItem } from './source.ts'

/** A record that does not come, or not as it is. */
export interface LeftOut {
  readonly line: number
  readonly type: string | null
  readonly id: string | null
  readonly reason: string
  readonly detail: string | null
  /** Where it is, of what says of itself neither kind nor id: `users 3 of export.json`. */
  readonly place?: string
}

/** A row to store, or why there is none. */
export async function checkItem(item: SourceItem, parts: PrepareParts): Promise<PreparedRecord | LeftOut> {
  if (item.problem !== undefined) return leftOut(item, item.problem, item.detail)
  const read = MovedRecord.safeParse(item.record)
  if (!read.success) return leftOut(item, 'INVALID', problemsOf(read.error))
  const nested = nestedProblem(read.data)
  if (nested !== null) return leftOut(item, nested)
  const made = await prepareRecord(read.data, item.line, parts)
  if ('reason' in made) return leftOut(item, made.reason)
  return { ...made, altered: [...(item.altered ?? []), ...made.altered] }
}

/** What is wrong with a record, in one text. */
export const problemsOf = ({ issues }: z.ZodError): string => issues.map(problemOf).join('; ').slice(0, 500)

const problemOf = ({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`

function leftOut({ line, record, place }: SourceItem, reason: string, detail: string | null = null): LeftOut {
  // A password has no id in most exports: whose it is says which one is meant.
  const type = textAt(record, 'type')
  const id = textAt(record, 'id') ?? (type === 'account' ? textAt(record, 'userId') : null)
  const about = { line, type, id, reason, detail }
  return place === undefined ? about : { ...about, place }
}

function textAt(record: unknown, field: string): string | null {
  const value: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, field) : null
  return typeof value === 'string' ? value.slice(0, 255) : null
}
