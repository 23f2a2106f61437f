import * as z from 'zod'
import { date } from './entities.ts'

/**
 * One event of the trail. `actorId`: the user as whom it was done, null without a session. `impersonatorId`: the
 * administrator who really did it. `userId`: the user concerned. `target`: what else it was done to. Event names are
 * open, since a newer service may have more. `count`: the number of equal events in one minute, the last of them at
 * `lastAt`; request and client are those of the first.
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
 * The same for its reader, with the addresses and names of users whom the reader may see, else null. For readers who
 * are not administrators, `ipAddress` and `userAgent` of other people's actions are null too. `targetName`, `keyName`:
 * the current name of the target and of the key or trust rule that acted, if it still exists and the reader may see it.
 */
export const AuditEventView = AuditEvent.extend({
  actorEmail: z.string().nullable(),
  actorName: z.string().nullable(),
  keyName: z.string().nullable(),
  impersonatorEmail: z.string().nullable(),
  userEmail: z.string().nullable(),
  userName: z.string().nullable(),
  targetName: z.string().nullable(),
})
export type AuditEventView = z.output<typeof AuditEventView>
