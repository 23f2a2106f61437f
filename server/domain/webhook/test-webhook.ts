import type { Input, Output } from '../../../shared/contract/call.ts'
import type { testWebhook as TestCall } from '../../../shared/contract/webhook.ts'
import { unopenedSecret } from '../../../shared/unopened-secret.ts'
import type { Webhook } from '../../../shared/webhook.ts'
import { newId } from '../../crypto/id.ts'
import { countUsesOnly } from '../../db/states.ts'
import { recordWebhookTest } from '../../db/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { inOwnSpan } from '../../tracing/spans.ts'
import { createPost, type PostOutcome } from '../../webhooks/post.ts'
import { openSecrets } from '../../webhooks/secrets.ts'
import { signedHeaders } from '../../webhooks/signature.ts'
import { refuseBeyondLimit, webhookTestLimits } from '../limits.ts'
import { actOnWebhook } from './change.ts'

/** Seconds until an answer must begin, while a person waits. */
const patience = 10

/**
 * Sends a message that stands for no event, and says what came of it. No delivery depends on the outcome, and none is
 * counted. Nothing is held meanwhile.
 */
export async function testWebhook(
  deps: Deps,
  client: Client,
  caller: Caller,
  { webhookId }: Input<typeof TestCall>,
): Promise<Output<typeof TestCall>> {
  const limits = webhookTestLimits(deps, caller.user.id)
  refuseBeyondLimit((await countUsesOnly(deps.sql, webhookId, limits)).refusedFor)
  const { webhook, done: sealed } = await actOnWebhook(deps, client, caller, {
    id: webhookId,
    name: 'webhook-tested',
    event: (tx, about) => client.event(tx, 'webhook-tested', about),
    work: (event) => (last) => recordWebhookTest(last, webhookId, event),
  })
  const secrets = sealed && openSecrets(deps.keys, { id: webhookId, ...sealed })
  const { status, milliseconds, failure } = secrets ? await send(deps, webhook, secrets) : unopened
  return {
    webhookId,
    url: webhook.url,
    delivered: failure === null,
    answered: status,
    milliseconds,
    reason: failure?.reason ?? null,
  }
}

const unopened: PostOutcome = {
  status: null,
  milliseconds: null,
  failure: { reason: unopenedSecret, isGone: false },
}

function send({ config, now }: Deps, { id: webhookId, organizationId, url }: Webhook, secrets: readonly string[]) {
  const id = newId()
  const at = now()
  const data = { id, webhookId, organizationId }
  const body = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data })
  const headers = signedHeaders(secrets, { id, timestamp: Math.floor(at.getTime() / 1000), body })
  const attributes = { 'postern.webhook.id': webhookId }
  // The caller's own trace and its baggage are not for the receiver.
  return inOwnSpan({ name: 'test webhook', kind: 'PRODUCER', attributes }, () =>
    createPost(config, patience)(url, { headers, body }),
  )
}
