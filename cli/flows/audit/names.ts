import type { AuditEventView } from '../../../shared/audit.ts'
import type { Organization } from '../../../shared/organization.ts'

/** What ids stand for, as far as the reader knows it from elsewhere. */
export type Names = ReadonlyMap<string, string>

/** The event by names where they are known: the service tells a reader the addresses of those only whom they may see now. */
export function withNames(event: AuditEventView, names: Names): AuditEventView {
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

/** What the events tell of each other: who is known in one is the same in the next. */
export const namesAmong = (events: readonly AuditEventView[]): Names =>
  new Map(
    events.flatMap(({ userId, userEmail, actorId, actorEmail, impersonatorId, impersonatorEmail }) => [
      ...(userId && userEmail ? [[userId, userEmail] as const] : []),
      ...(actorId && actorEmail ? [[actorId, actorEmail] as const] : []),
      ...(impersonatorId && impersonatorEmail ? [[impersonatorId, impersonatorEmail] as const] : []),
    ]),
  )

export const namesOfOrganizations = (organizations: readonly Organization[]): Names =>
  new Map(organizations.map(({ id, name }) => [id, name]))
