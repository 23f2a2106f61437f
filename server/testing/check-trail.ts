import { expect } from 'vitest'
import type { EventName } from './events-of-calls.ts'
import type { TestService } from './service.ts'

/** Events of the log alone. */
export const logOnly: ReadonlySet<EventName> = new Set<EventName>([
  'request-throttled',
  'permission-refused',
  'key-refused',
])

/** Facts of a line that stand among the details of its row. */
export const detailed = new Set([
  'role',
  'permissions',
  'from',
  'to',
  'count',
  'reason',
  'fields',
  'scopes',
  'overlap',
  'seconds',
  'isReplay',
])

interface Line extends Record<string, unknown> {
  readonly event: EventName
}

const inOrder = <T extends { readonly event?: unknown }>(list: readonly T[]) =>
  list.toSorted((one, other) => String(one.event).localeCompare(String(other.event)))

/** The trail has exactly one row for each event that a request told, with the same facts. */
export async function checkTrail({ deps }: TestService, requestId: unknown, lines: readonly Line[]): Promise<void> {
  const rows = await deps.sql<{ event: string; details: Record<string, unknown> }[]>`
    select event, user_id, organization_id, target, details, ip_address from audit_events
    where request_id = ${String(requestId)}
  `
  const told = lines
    .filter(({ event }) => !logOnly.has(event))
    .map((line) => ({
      event: line.event,
      userId: line.memberUserId ?? line.targetUserId ?? line.userId,
      organizationId: line.organizationId ?? null,
      target: line.target ?? line.provider ?? null,
      details: Object.fromEntries(Object.entries(line).filter(([fact]) => detailed.has(fact))),
      // Whoever is deleted leaves behind no trace of where they were.
      ipAddress: line.event === 'account-deleted' ? null : expect.stringMatching(/^(10\.|2001:)/),
    }))
  // The organizations that go along with their only member are known to the statement alone.
  const kept = rows.map(({ event, details: { organizations: _organizations, ...details }, ...row }) => ({
    event,
    details,
    ...row,
  }))
  expect(inOrder(kept)).toEqual(inOrder(told))
}
