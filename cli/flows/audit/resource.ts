import type { AuditEventView } from '../../../shared/audit.ts'
import type { Organization } from '../../../shared/organization.ts'
import { fullTime } from '../../output/time.ts'
import { pagedCommand } from '../paged.ts'
import type { Resource } from '../resource.ts'
import type { Detail, ResourceFields } from '../resource-fields.ts'
import { actorLabel, actorSummary, affectedUserOf, detailsOf, eventText, impersonatorOf } from './events.ts'
import { type NamesById, namesInEvents, namesOfOrganizations, withNames } from './names.ts'
import type { Trail } from './trail.ts'

/** Events of a trail with known names, and the command that lists them. */
interface TrailView {
  readonly events: readonly AuditEventView[]
  readonly command: string
}

/** Impersonation comes first, so that a narrow window does not cut it. */
function actorText(event: AuditEventView): string {
  const by = impersonatorOf(event)
  return by === null ? actorLabel(event) : `IMPERSONATED by ${by}: ${actorLabel(event)}`
}

const fields: ResourceFields<AuditEventView, TrailView> = {
  event: { title: 'Event', readFirst: true, value: eventText },
  createdAt: { title: 'When', type: 'date', readFirst: true },
  who: { title: 'Who', readFirst: true, value: actorText },
  about: { title: 'About', value: (event) => affectedUserOf(event), inList: (event) => affectedUserOf(event) ?? '' },
  details: { title: 'Details', value: detailsOf, inList: detailsOf },
}

/** One event with readable labels. */
export const eventDetail = (event: AuditEventView): Detail => ({
  id: event.id,
  title: event.event,
  facts: [
    { label: 'Event', value: eventText(event) },
    { label: 'When', value: whenText(event) },
    { label: 'Who', value: actorSummary(event) },
    { label: 'About', value: affectedUserOf(event) ?? '-' },
    { label: 'Organization', value: event.organizationId ?? '-' },
    { label: 'Target', value: event.targetName ?? event.target ?? '-' },
    { label: 'Details', value: detailsOf(event) || '-' },
    { label: 'Address', value: event.ipAddress ?? '-' },
    { label: 'Client', value: event.userAgent ?? '-' },
    { label: 'Request', value: event.requestId },
    { label: 'ID', value: event.id },
  ],
})

/** The times of the first and the last of several equal actions. */
const whenText = ({ createdAt, lastAt, count }: AuditEventView): string =>
  count > 1 ? `${fullTime(createdAt)}, last ${fullTime(lastAt)}` : fullTime(createdAt)

/** Everything that a filter finds an event by. */
const textOf = (event: AuditEventView): string =>
  [event.event, actorSummary(event), affectedUserOf(event), detailsOf(event), event.ipAddress, event.target].join(' ')

/** The events of an audit trail, newest first. */
export const events: Resource<AuditEventView, TrailView> = {
  noun: 'event',
  fields,
  list: ['event', 'createdAt', 'who', 'about', 'details'],
  detail: (event) => eventDetail(event).facts,
  id: ({ id }) => id,
  copies: { label: 'the id of the event', text: ({ id }) => id },
  label: ({ event }) => event,
  line: textOf,
  tone: ({ impersonatorId }) => (impersonatorId === null ? 'plain' : 'warning'),
  of: ({ events: all }) => all,
  empty: 'No events',
  acts: [],
  command: (_, { command }) => command,
  own: (event) => ({ screen: 'event', subject: event.id, title: event.event, event }),
}

/** The events of a trail that were read so far. `organizations`: those of the signed-in user. */
export function trailView(
  trail: Trail,
  items: readonly AuditEventView[],
  {
    organizations,
    command = pagedCommand(trail),
  }: { readonly organizations: readonly Organization[]; readonly command?: string },
): TrailView {
  const names = new Map([...namesOfOrganizations(organizations), ...(trail.names?.() ?? [])])
  return { events: namedEvents(items, names), command }
}

/** The events with names in place of ids that are known, from the events themselves or otherwise. */
function namedEvents(all: readonly AuditEventView[], names: NamesById): readonly AuditEventView[] {
  const known: NamesById = new Map([...namesInEvents(all), ...names])
  return all.map((event) => withNames(event, known))
}
