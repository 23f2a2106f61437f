import type { Webhook } from '../../../shared/webhook.ts'
import { commandWith } from '../command-line.ts'
import type { FlowConnection } from '../flow-context.ts'
import { loadOrganization, type OrganizationView, scopeOf, whyNotReadTrail } from '../org/view.ts'
import { actWithView, type ReadFacts, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { deleteWebhook, editWebhook, resumeWebhook } from './acts.ts'
import { createWebhook, rotateWebhook } from './new-webhook.ts'
import { pauseWebhook, unpauseWebhook } from './pause.ts'
import { testWebhook } from './send-sample.ts'
import {
  type ListedWebhook,
  toListedWebhook,
  webhookFields,
  webhookList,
  webhookTone,
  webhookView,
} from './webhooks.ts'

/** The webhooks of an organization or, without one, of the service. */
interface WebhooksView {
  readonly webhooks: readonly Webhook[]
  readonly within: OrganizationView | undefined
}

/** Where the webhooks are, and who looks at them. */
interface Seen {
  readonly organizationId: string | undefined
  readonly userId: string | undefined
}

type Calls = Pick<FlowConnection, 'api'>

const placeIn = (connection: Calls, { organizationId, userId }: Seen): Promise<OrganizationView | undefined> =>
  organizationId === undefined ? Promise.resolve(undefined) : loadOrganization(connection, organizationId, { userId })

export async function readWebhooks(connection: Calls, seen: Seen): Promise<WebhooksView> {
  const { organizationId } = seen
  const [webhooks, within] = await Promise.all([
    connection.api.webhook.listWebhooks(organizationId === undefined ? {} : { organizationId }),
    placeIn(connection, seen),
  ])
  return { webhooks, within }
}

export async function readWebhook(connection: Calls, webhookId: string, seen: Seen): Promise<WebhooksView> {
  const [found, within] = await Promise.all([
    connection.api.webhook.viewWebhook({ webhookId }),
    placeIn(connection, seen),
  ])
  return { webhooks: [found], within }
}

const named = (chosen: readonly ListedWebhook[], { webhooks: all, within }: WebhooksView) =>
  withSameIds(all, chosen).map((webhook) => ({ webhook, org: within?.organization.slug }))
const seen = ({ within }: WebhooksView) => within
const isPaused = ([one]: readonly ListedWebhook[]): boolean => one?.paused === true

const listCommand = (slug: string | undefined): string =>
  commandWith(webhookList, [], slug === undefined ? { given: { platform: true } } : { flags: ['--org', slug] })

const pausing = actWithView(pauseWebhook, seen, { about: 'one', subjects: named })
const unpausing = actWithView(unpauseWebhook, seen, { about: 'one', subjects: named })

/** The addresses that are told what the audit trail records. */
export const webhooks: Resource<ListedWebhook, WebhooksView> = {
  noun: 'webhook',
  fields: webhookFields,
  list: ['status', 'url', 'events', 'deliveredAt', 'lastError'],
  detail: [
    'status',
    'url',
    'lastError',
    'attempts',
    'failingSince',
    'nextAttemptAt',
    'parkedAt',
    'events',
    'deliveredAt',
    'overlapEndsAt',
    'createdAt',
    'cursor',
    'id',
  ],
  id: ({ id }) => id,
  label: ({ url }) => url,
  line: ({ url, status }) => `${url}  ${status}`,
  tone: webhookTone,
  of: ({ webhooks: all }) => all.map(toListedWebhook),
  empty: ({ within }, create) =>
    (within && whyNotReadTrail(within)) ?? `No webhooks. ${create} sends what the audit trail records to an address.`,
  acts: [
    actWithView(createWebhook, seen, {
      key: ['c', 'create', 'create'],
      about: 'place',
      subjects: (_, { within }) => [within ? scopeOf(within) : { organizationId: undefined }],
    }),
    actWithView(editWebhook, seen, { key: ['e', 'edit', 'edit'], about: 'one', subjects: named }),
    {
      key: ['p', 'pause', 'pause or not'],
      about: 'one',
      offers: (chosen, view) => (isPaused(chosen) ? unpausing : pausing).offers(chosen, view),
    },
    actWithView(testWebhook, seen, { key: ['t', 'test', 'test'], about: 'one', subjects: named }),
    actWithView(resumeWebhook, seen, { about: 'several', subjects: named }),
    actWithView(rotateWebhook, seen, { about: 'one', subjects: named }),
    actWithView(deleteWebhook, seen, {
      key: ['D', 'remove', 'delete'],
      about: 'several',
      removes: true,
      subjects: named,
    }),
  ],
  command: (one, { within }) =>
    one ? commandWith(webhookView, [], { given: { webhook: one.id } }) : listCommand(within?.organization.slug),
  own: ({ id, url }, { within }) => ({
    screen: 'webhook',
    subject: id,
    title: url,
    ...(within && { organizationId: within.organization.id }),
  }),
}

/** Leads to the webhooks of an organization or, without one, of the service. */
export const lookAtWebhooks = (within?: OrganizationView): ReadFacts => ({
  kind: 'look',
  label: within ? 'Webhooks' : 'Webhooks of the service',
  command: listCommand(within?.organization.slug),
  disabledReason: within && whyNotReadTrail(within),
  opens: {
    screen: 'webhooks',
    title: 'Webhooks',
    ...(within && { organizationId: within.organization.id }),
  },
})
