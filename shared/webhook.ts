import * as z from 'zod'
import { date } from './entities.ts'

/** Seconds for which a rotated secret still signs by default, so that receivers can take the new one over. */
export const defaultSecretOverlap = 86_400

/**
 * An address that is told what the audit trail records: the events of an organization or, without one, every event of
 * the service. `events`: names or groups of events; null for all. `cursor`: how far it has come in the trail, which
 * `after` of the activity calls and of a resumption understands. `failingSince`, `attempts`, `nextAttemptAt`,
 * `lastError`: the delivery that is being retried. `parkedAt`: when it was given up; nothing is sent until it is
 * resumed. `overlapEndsAt`: until when the previous secret signs as well.
 */
export const Webhook = z.object({
  id: z.string(),
  organizationId: z.string().nullable(),
  url: z.string(),
  events: z.array(z.string()).nullable(),
  paused: z.boolean(),
  cursor: z.string(),
  createdBy: z.string(),
  createdAt: date,
  updatedAt: date,
  deliveredAt: date.nullable(),
  failingSince: date.nullable(),
  attempts: z.int(),
  nextAttemptAt: date.nullable(),
  lastError: z.string().nullable(),
  parkedAt: date.nullable(),
  overlapEndsAt: date.nullable(),
})
export type Webhook = z.output<typeof Webhook>

/** With the secret, which is returned only this once. */
export const NewWebhook = Webhook.extend({ secret: z.string() })
export type NewWebhook = z.output<typeof NewWebhook>

/**
 * What came of a test message. `answered`: the status of the answer (HTTP), and `milliseconds` until it came; null
 * without one. `reason`: why it does not count as delivered.
 */
export const WebhookTest = z.object({
  webhookId: z.string(),
  url: z.string(),
  delivered: z.boolean(),
  answered: z.int().nullable(),
  milliseconds: z.int().nullable(),
  reason: z.string().nullable(),
})
export type WebhookTest = z.output<typeof WebhookTest>
