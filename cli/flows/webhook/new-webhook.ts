import { unopenedSecret } from '../../../shared/unopened-secret.ts'
import type { NewWebhook } from '../../../shared/webhook.ts'
import type { AnswerFields } from '../../output/json.ts'
import { relativeTime } from '../../output/time.ts'
import { eventProblem, eventWords } from '../audit/events.ts'
import { commandWith } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { overlapField, parseSeconds } from '../moment.ts'
import type { OrganizationView } from '../org/view.ts'
import { testWebhook } from './send-sample.ts'
import {
  type ListedWebhook,
  type NamedWebhook,
  placeOf,
  placeWords,
  platformField,
  toListedWebhook,
  type WebhookPlace,
  webhookFields,
  webhookSubjects,
  whyNotChange,
} from './webhooks.ts'

/** With the secret, which the service returns only once. */
type ShownWebhook = ListedWebhook & Pick<NewWebhook, 'secret'>

const shownWebhookFields = { ...webhookFields, secret: 'text' } as const satisfies AnswerFields

const shownWebhook = ({ secret, ...webhook }: NewWebhook): ShownWebhook => ({ ...toListedWebhook(webhook), secret })

export function urlProblem(text: string, name: string): string | undefined {
  if (text === '') return undefined
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    return `${name} must be an address like https://example.com/hook`
  const { username, password, hash } = new URL(text)
  return username || password || hash ? `${name} must have no user name, password or fragment` : undefined
}

export const eventsField = {
  kind: 'list',
  label: 'Events',
  flag: '--event <event...>',
  example: 'member',
  summary: 'names or groups of events, like member or team-created; default: all',
  key: 'events',
  isOptional: true,
  check: eventProblem,
  complete: eventWords,
  refusals: ['EVENT_NOT_FOUND'],
} as const

/** Nothing when none are given: then the service decides. */
export const eventsIn = (given: readonly string[] | undefined): { readonly events?: string[] } =>
  given && given.length > 0 ? { events: [...given] } : {}

export const urlRefusals = ['WEBHOOK_URL_INVALID', 'WEBHOOK_URL_PRIVATE']

const createFields = {
  url: {
    kind: 'text',
    label: 'Address',
    argument: '<url>',
    summary: 'where the events are sent, like https://example.com/hook',
    check: urlProblem,
    refusals: urlRefusals,
  },
  events: eventsField,
  platform: {
    ...platformField,
    summary: 'of the service: it is told every event; for administrators',
    onlyInCommands: true,
  },
} as const

/** The service cannot refuse a name that is on no private network: what it resolves to may change. */
export function notesOn({ id, url }: Pick<ListedWebhook, 'id' | 'url'>): readonly string[] {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || hostname === 'localhost' || /^\[|^[\d.]+$/.test(hostname)) return []
  return [
    `By http it is sent to only while ${hostname} is on a network of the service's WEBHOOK_PRIVATE_NETWORKS. Try it: ${commandWith(testWebhook, [id])}`,
  ]
}

export const createWebhook: Flow<WebhookPlace, typeof createFields, OrganizationView | undefined, ShownWebhook> = {
  command: 'webhook create',
  summary: 'Send the events of the organization to an address. The secret that signs them is shown once',
  title: 'Create a webhook',
  subject: {
    finder: async (context, { platform }) => {
      const organizationId = await placeOf(context, platform)
      return () => ({ organizationId, org: context.organization })
    },
    words: placeWords,
  },
  fields: createFields,
  call: '/webhook/create',
  answer: shownWebhookFields,
  examples: [
    'https://example.com/hook',
    'https://example.com/hook --org acme --event member team-created',
    'https://example.com/hook --platform --quiet > secret.txt',
  ],
  note: () => 'Without events, it is told all. The secret is shown once and not stored here.',
  disabledReason: (_, view) => whyNotChange(view, 'create'),
  run: async (context, { organizationId }, { url, events }) => {
    const { api } = await context.signedIn()
    const made = await api.webhook.createWebhook({
      url,
      ...(organizationId !== undefined && { organizationId }),
      ...eventsIn(events),
    })
    const sentence = `Created the webhook ${made.url}`
    return { sentence, status: 'created', resource: shownWebhook(made), secret: made.secret, notes: notesOn(made) }
  },
}

const rotateFields = {
  overlap: {
    ...overlapField,
    label: 'Old secret valid for',
    summary: 'how long the old secret signs as well, like 1h; 0: not at all (24h)',
  },
} as const

export const rotateWebhook: Flow<NamedWebhook, typeof rotateFields, OrganizationView | undefined, ShownWebhook> = {
  command: 'webhook rotate',
  summary: 'Give webhooks new secrets, which are shown once; the old ones sign as well for a while',
  title: 'Rotate the secret',
  subject: webhookSubjects,
  fields: rotateFields,
  bulk: 'subject',
  answersOne: true,
  call: '/webhook/rotate',
  answer: shownWebhookFields,
  examples: ['https://example.com/hook', 'https://example.com/hook --overlap 1h --quiet > secret.txt'],
  note: () => 'A new secret, shown once. Without a time, the old one signs as well for a day.',
  disabledReason: (_, view) => whyNotChange(view, 'update'),
  run: async (context, { webhook }, { overlap }) => {
    const { api } = await context.signedIn()
    const made = await api.webhook.rotateWebhook({
      webhookId: webhook.id,
      ...(overlap && { overlap: parseSeconds(overlap) ?? 0 }),
    })
    const end = webhook.lastError === unopenedSecret ? null : made.overlapEndsAt
    const words = end ? `signs as well: it ends ${relativeTime(end, context.now())}` : 'no longer signs'
    const sentence = `Rotated the secret of ${made.url}; the previous one ${words}`
    return { sentence, status: 'updated', resource: shownWebhook(made), secret: made.secret }
  },
}
