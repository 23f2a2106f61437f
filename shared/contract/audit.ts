import * as z from 'zod'
import { AuditEventView } from '../audit.ts'
import { eventsNamed } from '../audit-events.ts'
import { call } from './call.ts'

const isKnown = (text: string): boolean => text.split(',').every((word) => eventsNamed(word).length > 0)

/**
 * `event`: names of events or groups, with commas between. `cursor`: the `next` of the page before. `after`: a `latest`; then
 * the answer has what was written since, oldest first, and `cursor` does not count.
 */
const page = {
  event: z.string().refine(isKnown, 'names of events, with commas between').optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  limit: z.string().optional(),
  cursor: z.string().max(200).optional(),
  after: z.string().max(8000).optional(),
}

/** `userId`: whom it concerns; `actorId`: who did it, as themselves or as somebody else. */
const ofMany = z.object({
  ...page,
  userId: z.string().optional(),
  actorId: z.string().optional(),
  organizationId: z.string().optional(),
})

/**
 * Newest first. `next`: where the list goes on, null at its end; with `after`: there is more already. `latest`: what to hand as
 * `after` to get exactly what is written later, by this database: a copy of it refuses that.
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
  summary: 'What the signed-in user did, and what was done to them',
  access: 'session',
  input: z.object(page),
  output,
  failures: ['CURSOR_OF_ANOTHER_DATABASE'],
  isHeavy: true,
})

/** For members who may update the organization. */
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
