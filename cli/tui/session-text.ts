import type { Session } from '../../shared/entities.ts'
import { relativeTime } from '../output/time.ts'

/** What a session was opened with, as far as it said so. */
export const deviceOf = (session: Pick<Session, 'userAgent'> | undefined): string =>
  session?.userAgent || 'an unknown device'

/** A time for reading and for comparing. */
export const timeOf = (date: Date, now = Date.now()): string =>
  `${relativeTime(date, now)}  ·  ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
