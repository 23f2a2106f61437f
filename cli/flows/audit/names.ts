import type { AuditEventView } from '../../../shared/audit.ts'
import type { Organization } from '../../../shared/organization.ts'

/** Display names by id, for the ids that the reader may see. */
export type NamesById = ReadonlyMap<string, string>

/** Adds known names to the event: the service gives only the addresses that the reader can see at present. */
export function withNames(event: AuditEventView, names: NamesById): AuditEventView {
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  return {
    ...event,
    actorEmail: event.actorEmail ?? nameOf(event.actorId),
    impersonatorEmail: event.impersonatorEmail ?? nameOf(event.impersonatorId),
    userEmail: event.userEmail ?? nameOf(event.userId),
    organizationId: nameOf(event.organizationId) ?? event.organizationId,
    targetName: nameOf(event.target) ?? event.targetName,
  }
}

/** Names that occur in the events themselves: an id named in one event is named in all. */
export const namesInEvents = (events: readonly AuditEventView[]): NamesById =>
  new Map(
    events.flatMap(({ userId, userEmail, actorId, actorEmail, impersonatorId, impersonatorEmail }) => [
      ...(userId && userEmail ? [[userId, userEmail] as const] : []),
      ...(actorId && actorEmail ? [[actorId, actorEmail] as const] : []),
      ...(impersonatorId && impersonatorEmail ? [[impersonatorId, impersonatorEmail] as const] : []),
    ]),
  )

export const namesOfOrganizations = (organizations: readonly Organization[]): NamesById =>
  new Map(organizations.map(({ id, name }) => [id, name]))
