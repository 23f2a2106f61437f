import * as z from 'zod'
import { date } from './entities.ts'

/**
 * One event of the trail. `actorId`: as whom it was done, null where nobody was signed in; `impersonatorId`: who really did it;
 * `userId`: whom it concerns; `target`: what else it was done to. The names of events are open: a newer service may have more.
 * `count`: so many equal acts of one minute, the last of them at `lastAt`; request and client are those of the first.
 */
export const AuditEvent = z.object({
  id: z.string(),
  event: z.string(),
  createdAt: date,
  actorId: z.string().nullable(),
  impersonatorId: z.string().nullable(),
  keyId: z.string().nullable(),
  isServer: z.boolean(),
  userId: z.string().nullable(),
  organizationId: z.string().nullable(),
  target: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  requestId: z.string(),
  count: z.int(),
  lastAt: date,
})
export type AuditEvent = z.output<typeof AuditEvent>

/**
 * The same as its reader sees it: addresses of people whom the reader may see, else null. Where the reader is no
 * administrator, `ipAddress` and `userAgent` of what other people did are null, too. `targetName`: what the target is called
 * now, where it is there still and the reader may know it.
 */
export const AuditEventView = AuditEvent.extend({
  actorEmail: z.string().nullable(),
  impersonatorEmail: z.string().nullable(),
  userEmail: z.string().nullable(),
  targetName: z.string().nullable(),
})
export type AuditEventView = z.output<typeof AuditEventView>
