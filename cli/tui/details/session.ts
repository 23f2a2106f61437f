import type { Session } from '../../../shared/entities.ts'
import { deviceOf, fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

/** A session; `currentId`: the one that is looked from. */
export const sessionDetail = (session: Session, currentId: string | undefined): Detail => ({
  title: deviceOf(session),
  facts: [
    { label: 'Device', value: deviceOf(session) },
    ...(session.label ? [{ label: 'Client', value: session.userAgent || 'unknown' }] : []),
    { label: 'Address', value: session.ipAddress ?? 'unknown' },
    { label: 'This session', value: session.id === currentId ? 'yes: revoking it signs you out' : 'no' },
    { label: 'Signed in', value: fullTime(session.createdAt) },
    { label: 'Last used', value: fullTime(session.updatedAt) },
    { label: 'Ends', value: fullTime(session.expiresAt) },
    ...(session.impersonatedBy ? [{ label: 'Opened by', value: session.impersonatedBy, tone: 'danger' as const }] : []),
    { label: 'Id', value: session.id },
  ],
})
