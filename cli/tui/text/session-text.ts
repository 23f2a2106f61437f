import type { Session } from '../../../shared/entities.ts'
import type { RevokedSession } from '../../flows/session/revoke.ts'
import { relativeTime } from '../../output/time.ts'

/** The machine of a session, as it calls itself, or else what the session was opened with. */
export const deviceOf = (session: Pick<Session, 'label' | 'userAgent'> | undefined): string =>
  session?.label || session?.userAgent || 'an unknown device'

/** The device, which says of our own session that it is: in front, since narrow terminals cut what follows. */
export const deviceOrThis = (session: Session, currentId: string | undefined): string =>
  `${session.id === currentId ? 'this one: ' : ''}${deviceOf(session)}`

/** What is revoked, and whether that ends the session one acts by. */
export const toRevoke = ({ id }: Pick<Session, 'id'>, currentId: string | undefined): RevokedSession => ({
  id,
  isOwn: id === currentId,
})

/** A time for reading and for comparing. */
export const fullTime = (date: Date, now = Date.now()): string =>
  `${relativeTime(date, now)}  ·  ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
