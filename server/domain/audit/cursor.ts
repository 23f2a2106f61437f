import * as z from 'zod'
import { Failure } from '../../../shared/failure.ts'
import { inputProblem } from '../../../shared/input-problem.ts'
import type { AuditFollowMark, AuditPage, AuditPosition } from '../../db/audit-list.ts'
import { requireStorableDate } from '../../request/storable-date.ts'

const id = z.string().regex(/^[\w-]{1,64}$/)
const xid = z.string().refine((text) => isNumber(text))
const snapshot = z.string().refine((text) => isSnapshot(text))

const Position = z.tuple([z.int().min(0).max(8.64e15), id])
const part = z.tuple([snapshot, xid, id]).nullable()
const Mark = z.tuple([id, snapshot, part])
/** The format from before cursors named their database. */
const UnnamedMark = z.tuple([snapshot, part])

export const positionText = ({ createdAt, id: last }: AuditPosition): string =>
  encode([createdAt.getTime(), last] satisfies z.input<typeof Position>)

export const markText = ({ copy, seen, part: on }: AuditFollowMark): string =>
  encode([copy, seen, on ? [on.until, on.xid, on.id] : null] satisfies z.input<typeof Mark>)

export function readPosition(text: string): AuditPosition {
  const [time, last] = decode(Position, text, 'cursor')
  return { createdAt: requireStorableDate(new Date(time), 'INVALID_QUERY', ['cursor']), id: last }
}

export function readMark(text: string): AuditFollowMark {
  const mark = decode(z.union([Mark, UnnamedMark]), text, 'after')
  if (mark.length === 2) throw new Failure('CURSOR_OF_ANOTHER_DATABASE')
  const [copy, seen, on] = mark
  return { copy, seen, part: on && { until: on[0], xid: on[1], id: on[2] } }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const origins = {
  cursor: 'the value of next in an earlier answer',
  after: 'the value of latest in an earlier answer',
} as const

/** A cursor grants nothing: with somebody else's cursor, a reader still sees only their own events. */
function decode<T extends z.ZodType>(schema: T, text: string, field: keyof typeof origins): z.output<T> {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch (cause) {
    throw new Failure('INVALID_QUERY', { cause, details: [inputProblem([field], origins[field])] })
  }
}

const maxNumber = 2n ** 63n - 1n
const isNumber = (text: string): boolean => /^\d{1,20}$/.test(text) && BigInt(text) <= maxNumber

/**
 * PostgreSQL's format: `oldest:next:running,transactions`. Checked here because the database would report anything else
 * as an internal error.
 */
function isSnapshot(text: string): boolean {
  const [oldest = '', next = '', running, ...more] = text.split(':')
  if (running === undefined || more.length > 0) return false
  const list = running === '' ? [] : running.split(',')
  if (![oldest, next, ...list].every(isNumber)) return false
  const [first, end, numbers] = [BigInt(oldest), BigInt(next), list.map(BigInt)]
  return (
    first > 0n &&
    first <= end &&
    numbers.every((number, index) => number >= (numbers[index - 1] ?? first) && number < end)
  )
}

/**
 * Whether a snapshot is later than the server has reached, which means that the server was restored from a backup of
 * its files.
 */
const isLater = (one: string, other: string): boolean => nextOf(one) > nextOf(other)

const nextOf = (text: string): bigint => BigInt(text.split(':')[1] ?? '0')

/** Refuses a page of another database than the mark's: the reader would miss events, or get old ones as new. */
export function requireSameDatabase(
  { copy, snapshot }: Pick<AuditPage, 'copy' | 'snapshot'>,
  mark: AuditFollowMark,
): void {
  if (!isSameDatabase({ copy, snapshot }, mark)) throw new Failure('CURSOR_OF_ANOTHER_DATABASE')
}

export const isSameDatabase = (
  { copy, snapshot }: Pick<AuditPage, 'copy' | 'snapshot'>,
  mark: AuditFollowMark,
): boolean => copy === mark.copy && !isLater(mark.seen, snapshot)

/**
 * The mark behind the first `count` events of a page, or behind all of it. All pages up to the last one belong to the
 * snapshot of the first. Only then does the mark move on.
 */
export function markBehind(
  { events, xids, isMore, snapshot }: Pick<AuditPage, 'events' | 'xids' | 'isMore' | 'snapshot'>,
  { copy, seen, part }: AuditFollowMark,
  count = events.length,
): AuditFollowMark {
  const until = part?.until ?? snapshot
  const [last, xid] = [events[count - 1], xids[count - 1]]
  if (count === events.length && !isMore) return { copy, seen: until, part: null }
  if (!last || xid === undefined) return { copy, seen, part }
  return { copy, seen, part: { until, xid, id: last.id } }
}
