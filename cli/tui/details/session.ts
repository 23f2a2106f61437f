import type { Session } from '../../../shared/entities.ts'
import { sessionTitles as titles } from '../../flows/session/sessions.ts'
import { deviceOf, fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

/** A session; `currentId`: the one that is looked from. */
export const sessionDetail = (session: Session, currentId: string | undefined): Detail => ({
  title: deviceOf(session),
  facts: [
    ...(session.label ? [{ label: titles.label, value: session.label }] : []),
    { label: titles.userAgent, value: session.userAgent || 'unknown' },
    { label: titles.ipAddress, value: session.ipAddress ?? 'unknown' },
    { label: titles.current, value: session.id === currentId ? 'yes: revoking it signs you out' : 'no' },
    { label: titles.createdAt, value: fullTime(session.createdAt) },
    { label: titles.updatedAt, value: fullTime(session.updatedAt) },
    { label: titles.expiresAt, value: fullTime(session.expiresAt) },
    ...(session.impersonatedBy
      ? [{ label: titles.impersonatedBy, value: session.impersonatedBy, tone: 'danger' as const }]
      : []),
    { label: titles.id, value: session.id },
  ],
})
