import type { Flow, NoFields } from '../flow.ts'
import type { OrganizationView } from '../org/view.ts'
import {
  type ListedWebhook,
  type NamedWebhook,
  toListedWebhook,
  webhookFields,
  webhookSubject,
  whyNotChange,
} from './webhooks.ts'

type PauseFlow = Flow<NamedWebhook, NoFields, OrganizationView | undefined, ListedWebhook>

/** An edit that needs no form. */
const pausing = (paused: boolean): PauseFlow => ({
  command: `webhook edit --paused ${paused ? 'on' : 'off'}`,
  summary: paused ? 'Send nothing until the pause ends' : 'Send what happened since the pause',
  title: paused ? 'Pause' : 'End the pause',
  subject: webhookSubject,
  fields: {},
  call: '/webhook/update',
  isFor: (body) => body['paused'] === paused,
  answer: webhookFields,
  examples: [],
  disabledReason: (_, view) => whyNotChange(view, 'update'),
  run: async (context, { webhook }) => {
    const { api } = await context.signedIn()
    const updated = await api.webhook.updateWebhook({ webhookId: webhook.id, paused })
    const sentence = paused ? `Paused the webhook ${updated.url}` : `The webhook ${updated.url} sends again`
    return { sentence, status: 'updated', resource: toListedWebhook(updated) }
  },
})

export const pauseWebhook = pausing(true)
export const unpauseWebhook = pausing(false)
