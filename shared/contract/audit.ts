import * as z from 'zod'
import { AuditEventView } from '../audit.ts'
import { auditEventsNamed } from '../audit-events.ts'
import { call } from './call.ts'

const isKnown = (text: string): boolean => text.split(',').every((word) => auditEventsNamed(word).length > 0)

/**
 * `event`: names of events or groups, separated by commas. `cursor`: `next` of the previous page. `after`: a `latest`.
 * Then the answer holds what was written since, oldest first, and `cursor` is ignored.
 */
const page = {
  event: z.string().refine(isKnown, 'event names, separated by commas').optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  limit: z.string().optional(),
  cursor: z.string().max(200).optional(),
  after: z.string().max(8000).optional(),
}

/** `userId`: the user concerned. `actorId`: the user who acted, as themselves or by impersonation. */
const ofMany = z.object({
  ...page,
  userId: z.string().optional(),
  actorId: z.string().optional(),
  organizationId: z.string().optional(),
})

/**
 * Newest first. `next`: the cursor of the next page, null on the last one. With `after`, not null means that there are
 * more already. `latest`: pass it as `after` to get exactly what is written later. Only the same database accepts it,
 * and a copy refuses it.
 */
const output = z.object({ events: z.array(AuditEventView), next: z.string().nullable(), latest: z.string() })

export const listAuditEvents = call({
  method: 'GET',
  path: '/admin/list-audit-events',
  summary: 'The audit trail of the whole service',
  access: 'session',
  input: ofMany,
  output,
  failures: ['AUDIT_LIST_FORBIDDEN', 'CURSOR_OF_ANOTHER_DATABASE'],
  isHeavy: true,
})

export const listActivity = call({
  method: 'GET',
  path: '/list-activity',
  summary: 'Events by and about the signed-in user',
  access: 'session',
  input: z.object(page),
  output,
  failures: ['CURSOR_OF_ANOTHER_DATABASE'],
  isHeavy: true,
})

/** For members who can update the organization. */
export const listOrganizationActivity = call({
  method: 'GET',
  path: '/organization/list-activity',
  summary: 'What was done in an organization',
  access: 'session',
  input: ofMany,
  output,
  failures: [
    'NO_ACTIVE_ORGANIZATION',
    'NOT_A_MEMBER_FORBIDDEN',
    'ACTIVITY_LIST_FORBIDDEN',
    'CURSOR_OF_ANOTHER_DATABASE',
  ],
  isHeavy: true,
})
