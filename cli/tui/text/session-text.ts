import type { Session } from '../../../shared/entities.ts'
import { relativeTime } from '../../output/time.ts'

/** What a session was opened with, as far as it said so. */
export const deviceOf = (session: Pick<Session, 'userAgent'> | undefined): string =>
  session?.userAgent || 'an unknown device'

/** The device, which says of our own session that it is: in front, since narrow terminals cut what follows. */
export const deviceOrThis = (session: Session, currentId: string | undefined): string =>
  `${session.id === currentId ? 'this one: ' : ''}${deviceOf(session)}`

/** A time for reading and for comparing. */
export const fullTime = (date: Date, now = Date.now()): string =>
  `${relativeTime(date, now)}  ·  ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
