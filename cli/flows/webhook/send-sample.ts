import { exitCodes } from '../../../shared/exit-codes.ts'
import type { WebhookTest } from '../../../shared/webhook.ts'
import { CliError } from '../../output/cli-error.ts'
import { ownReceiver } from '../../output/hints.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { OrganizationView } from '../org/view.ts'
import { type NamedWebhook, webhookSubject, whyNotChange } from './webhooks.ts'

export const testWebhook: Flow<NamedWebhook, NoFields, OrganizationView | undefined, WebhookTest> = {
  command: 'webhook test',
  summary: 'Send a test message to a webhook, and say what its receiver answers',
  title: 'Send a test message',
  subject: webhookSubject,
  fields: {},
  call: '/webhook/test',
  answer: {
    webhookId: 'text',
    url: 'text',
    delivered: 'flag',
    answered: 'number?',
    milliseconds: 'number?',
    reason: 'text?',
  },
  examples: ['https://example.com/hook', 'https://example.com/hook --json=answered,milliseconds'],
  disabledReason: (_, view) => whyNotChange(view, 'update'),
  run: async (context, { webhook }) => {
    const { api } = await context.signedIn()
    const tested = await api.webhook.testWebhook({ webhookId: webhook.id })
    if (!tested.delivered) throw notDelivered(tested)
    const sentence = `${tested.url} answered ${tested.answered} after ${tested.milliseconds} ms`
    return { sentence, status: 'unchanged', resource: tested }
  },
}

/** The service does not tell an unknown host from a private one. */
function hintFor(reason: string): string {
  if (/not public/.test(reason)) return `Check the spelling of the host. ${ownReceiver}`
  if (/WEBHOOK_PRIVATE_NETWORKS/.test(reason)) return ownReceiver
  return 'The receiver has to answer 200 to 299 within 10 seconds: docs/webhooks.md'
}

const notDelivered = ({ url, reason }: WebhookTest): CliError =>
  new CliError(
    exitCodes.problemFound,
    [`The test message was not delivered to ${url}`, ...(reason ? [reason] : [])].join('. '),
    {
      code: 'WEBHOOK_NOT_DELIVERED',
      hint: hintFor(reason ?? ''),
    },
  )
