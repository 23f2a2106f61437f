import * as z from 'zod'
import { Failure } from '../../../shared/failure.ts'
import { inputProblem } from '../../../shared/input-problem.ts'
import type { AuditMark, AuditPosition } from '../../db/audit-list.ts'
import { requireMoment } from '../../request/moment.ts'

const id = z.string().regex(/^[\w-]{1,64}$/)
const xid = z.string().refine((text) => isNumber(text))
const snapshot = z.string().refine((text) => isSnapshot(text))

const Position = z.tuple([z.int().min(0).max(8.64e15), id])
const part = z.tuple([snapshot, xid, id]).nullable()
const Mark = z.tuple([id, snapshot, part])
/** Before a mark named its database. */
const Nameless = z.tuple([snapshot, part])

export const positionText = ({ createdAt, id: last }: AuditPosition): string =>
  encode([createdAt.getTime(), last] satisfies z.input<typeof Position>)

export const markText = ({ copy, seen, part: on }: AuditMark): string =>
  encode([copy, seen, on ? [on.until, on.xid, on.id] : null] satisfies z.input<typeof Mark>)

export function readPosition(text: string): AuditPosition {
  const [time, last] = decode(Position, text, 'cursor')
  return { createdAt: requireMoment(new Date(time), 'INVALID_QUERY', ['cursor']), id: last }
}

export function readMark(text: string): AuditMark {
  const mark = decode(z.union([Mark, Nameless]), text, 'after')
  if (mark.length === 2) throw new Failure('CURSOR_OF_ANOTHER_DATABASE')
  const [copy, seen, on] = mark
  return { copy, seen, part: on && { until: on[0], xid: on[1], id: on[2] } }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const origins = { cursor: 'the next of an earlier answer', after: 'the latest of an earlier answer' } as const

/** A cursor opens nothing: what somebody else's leads to is still only what its reader may see. */
function decode<T extends z.ZodType>(schema: T, text: string, field: keyof typeof origins): z.output<T> {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch (cause) {
    throw new Failure('INVALID_QUERY', { cause, details: [inputProblem([field], origins[field])] })
  }
}

const maxNumber = 2n ** 63n - 1n
const isNumber = (text: string): boolean => /^\d{1,20}$/.test(text) && BigInt(text) <= maxNumber

/** As the database reads one: `oldest:next:those,under,way`. It would take anything else for a fault of ours. */
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

/** Whether a snapshot is of a time that another one's server has not come to: it was set back to a backup of its files. */
export const isLater = (one: string, other: string): boolean => nextOf(one) > nextOf(other)

const nextOf = (text: string): bigint => BigInt(text.split(':')[1] ?? '0')
