import type { Session } from '../../../shared/entities.ts'
import type { RevokedSession } from '../../flows/session/revoke.ts'
import { sessionTitles as titles } from '../../flows/session/sessions.ts'
import { relativeTime } from '../../output/time.ts'
import type { Column } from '../state/columns.ts'

/** The machine of a session, as it calls itself, or else what the session was opened with. */
export const deviceOf = (session: Pick<Session, 'label' | 'userAgent'> | undefined): string =>
  session?.label || session?.userAgent || 'an unknown device'

/** Of a list: a narrow one has no room for label and client apart. */
export const deviceColumns: readonly Column<Session>[] = [
  { title: 'Device', value: deviceOf },
  { title: titles.ipAddress, value: ({ ipAddress }) => ipAddress ?? '' },
  { title: titles.updatedAt, value: ({ updatedAt }) => updatedAt },
  { title: titles.expiresAt, value: ({ expiresAt }) => expiresAt },
]

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
