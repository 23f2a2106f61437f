import * as z from 'zod'
import { organizationId, pageFields } from '../organization.ts'
import { NewWebhook, Webhook, WebhookTest } from '../webhook.ts'
import { call } from './call.ts'

const webhookId = z.string()
const url = z.string().min(1).max(2048)
const events = z.array(z.string().max(64)).min(1).max(100)

/**
 * Tells an address what the audit trail records: with an `organizationId` the events of that organization, otherwise
 * every event of the service. `events`: names or groups of events; all by default. Only this answer contains the
 * secret.
 */
export const createWebhook = call({
  method: 'POST',
  path: '/webhook/create',
  summary: 'Create a webhook',
  access: 'session',
  input: z.object({ url, organizationId, events: events.optional() }),
  output: NewWebhook,
  failures: [
    'SESSION_NOT_FRESH',
    'WEBHOOK_URL_INVALID',
    'WEBHOOK_URL_PRIVATE',
    'EVENT_NOT_FOUND',
    'NOT_A_MEMBER_FORBIDDEN',
    'WEBHOOK_CREATE_FORBIDDEN',
    'WEBHOOK_LIMIT_REACHED',
  ],
})

/** Lists the webhooks of the named organization, or else those of the service, newest first. */
export const listWebhooks = call({
  method: 'GET',
  path: '/webhook/list',
  summary: 'The webhooks of an organization, or of the service',
  access: 'session',
  input: z.object({ organizationId, ...pageFields }),
  output: z.array(Webhook),
  failures: ['NOT_A_MEMBER_FORBIDDEN', 'WEBHOOK_LIST_FORBIDDEN'],
  isHeavy: true,
  scope: 'read',
})

export const viewWebhook = call({
  method: 'GET',
  path: '/webhook/view',
  summary: 'A webhook, with how far it has come and why it waits',
  access: 'session',
  input: z.object({ webhookId }),
  output: Webhook,
  failures: ['WEBHOOK_NOT_FOUND'],
  scope: 'read',
  repeats: { webhookId: 'id' },
})

/** Changes what is given. `events`: null for all. A new address needs a fresh session, like a new webhook. */
export const updateWebhook = call({
  method: 'POST',
  path: '/webhook/update',
  summary: 'Change a webhook, or pause it',
  access: 'session',
  input: z.object({
    webhookId,
    url: url.optional(),
    events: events.nullable().optional(),
    paused: z.boolean().optional(),
  }),
  output: Webhook,
  failures: [
    'SESSION_NOT_FRESH',
    'WEBHOOK_URL_INVALID',
    'WEBHOOK_URL_PRIVATE',
    'EVENT_NOT_FOUND',
    'NO_DATA_TO_UPDATE',
    'WEBHOOK_NOT_FOUND',
    'WEBHOOK_UPDATE_FORBIDDEN',
  ],
  scope: 'webhook:update',
  repeats: { webhookId: 'id' },
})

/**
 * Gives a webhook a new secret. The previous one signs as well for `overlap` more seconds; a day by default, 0 ends it
 * at once.
 */
export const rotateWebhook = call({
  method: 'POST',
  path: '/webhook/rotate',
  summary: 'Give a webhook a new secret',
  access: 'session',
  input: z.object({ webhookId, overlap: z.int().min(0).max(2_592_000).optional() }),
  output: NewWebhook,
  failures: ['SESSION_NOT_FRESH', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_UPDATE_FORBIDDEN'],
  repeats: { webhookId: 'id' },
})

/**
 * Sends again what a parked or postponed webhook has not delivered, at once. `after`: from this cursor of the audit
 * trail on, so that what was delivered since comes again.
 */
export const resumeWebhook = call({
  method: 'POST',
  path: '/webhook/resume',
  summary: 'Resume a webhook, or replay events',
  access: 'session',
  input: z.object({ webhookId, after: z.string().max(8000).optional() }),
  output: Webhook,
  failures: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_UPDATE_FORBIDDEN', 'CURSOR_OF_ANOTHER_DATABASE'],
  scope: 'webhook:update',
  repeats: { webhookId: 'id' },
})

/**
 * Sends a signed message of the type `webhook.test` at once, whatever waits, and says what the receiver answered. It is
 * no delivery: none is counted, and none waits for it.
 */
export const testWebhook = call({
  method: 'POST',
  path: '/webhook/test',
  summary: 'Send a test message to a webhook, and see what its receiver answers',
  access: 'session',
  input: z.object({ webhookId }),
  output: WebhookTest,
  failures: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_UPDATE_FORBIDDEN'],
  scope: 'webhook:update',
  repeats: { webhookId: 'webhookId' },
})

/** What it had not delivered is not sent any more. */
export const deleteWebhook = call({
  method: 'POST',
  path: '/webhook/delete',
  summary: 'Delete a webhook',
  access: 'session',
  input: z.object({ webhookId }),
  output: Webhook,
  failures: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DELETE_FORBIDDEN'],
  scope: 'webhook:delete',
  repeats: { webhookId: 'id' },
})
