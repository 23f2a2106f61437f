import type { AuditEventView } from '../../../shared/audit.ts'
import { actorOf, concernedOf, detailsOf, eventText } from '../../flows/audit/events.ts'
import type { Detail } from '../../flows/resource-fields.ts'
import { fullTime } from '../../output/time.ts'

/** One event of the audit trail, each of its parts by what a person calls it. */
export const eventDetail = (event: AuditEventView): Detail => ({
  title: event.event,
  facts: [
    { label: 'Event', value: eventText(event) },
    { label: 'When', value: whenText(event) },
    { label: 'Who', value: actorOf(event) },
    { label: 'About', value: concernedOf(event) ?? '-' },
    { label: 'Organization', value: event.organizationId ?? '-' },
    { label: 'Target', value: event.targetName ?? event.target ?? '-' },
    { label: 'Details', value: detailsOf(event) || '-' },
    { label: 'Address', value: event.ipAddress ?? '-' },
    { label: 'Client', value: event.userAgent ?? '-' },
    { label: 'Request', value: event.requestId },
    { label: 'ID', value: event.id },
  ],
})

/** The first and the last of equal acts. */
const whenText = ({ createdAt, lastAt, count }: AuditEventView): string =>
  count > 1 ? `${fullTime(createdAt)}, last ${fullTime(lastAt)}` : fullTime(createdAt)
