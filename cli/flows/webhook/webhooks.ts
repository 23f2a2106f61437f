import type { Webhook } from '../../../shared/webhook.ts'
import { fullTime } from '../../output/time.ts'
import { countText } from '../../output/words.ts'
import { type Naming, pickOne } from '../candidates.ts'
import { flag, type Subject, type WordAndFlags } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, Sheet } from '../listing.ts'
import { requireOrganizationId } from '../org/organizations.ts'
import { type OrganizationView, whyNotPermitted, whyNotReadTrail } from '../org/view.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { viewOrList } from '../view-or-list.ts'

type WebhookStatus = 'active' | 'failing' | 'paused' | 'parked'

/** A webhook as people see it, with its status. */
export type ListedWebhook = Webhook & { readonly status: WebhookStatus }

const statusOf = ({ parkedAt, paused, failingSince, lastError }: Webhook): WebhookStatus => {
  if (parkedAt !== null) return 'parked'
  if (paused) return 'paused'
  return failingSince === null && lastError === null ? 'active' : 'failing'
}

export const toListedWebhook = (webhook: Webhook): ListedWebhook => ({ ...webhook, status: statusOf(webhook) })

const tones = { active: 'plain', failing: 'warning', paused: 'muted', parked: 'danger' } as const
export const webhookTone = ({ status }: ListedWebhook) => tones[status]

const eventsText = ({ events }: Webhook): string => events?.join(', ') ?? 'all'

/** A date of something that has not happened is left out of a detail. */
const ifAny = (date: Date | null, now: number): string | undefined => (date ? fullTime(date, now) : undefined)

export const webhookFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  organizationId: { title: 'Organization', type: 'text?' },
  url: { title: 'Address', type: 'text', readFirst: true },
  events: { title: 'Events', type: 'any', value: ({ events }) => events ?? 'all', inDetail: eventsText },
  status: { title: 'Status', type: 'text', readFirst: true, tone: webhookTone },
  paused: { title: 'Paused', type: 'flag' },
  cursor: { title: 'Cursor', type: 'text' },
  createdBy: { title: 'Created by', type: 'text' },
  createdAt: { title: 'Created', type: 'date' },
  updatedAt: { title: 'Changed', type: 'date' },
  deliveredAt: {
    title: 'Delivered',
    type: 'date?',
    inList: ({ deliveredAt }) => deliveredAt ?? 'never',
    inDetail: ({ deliveredAt }, _, now) => ifAny(deliveredAt, now) ?? 'never',
  },
  failingSince: {
    title: 'Failing since',
    type: 'date?',
    inDetail: ({ failingSince }, _, now) => ifAny(failingSince, now),
    tone: webhookTone,
  },
  attempts: {
    title: 'Attempts',
    type: 'number',
    inDetail: ({ attempts }) => (attempts > 0 ? `${attempts}` : undefined),
  },
  nextAttemptAt: {
    title: 'Next attempt',
    type: 'date?',
    inDetail: ({ nextAttemptAt }, _, now) => ifAny(nextAttemptAt, now),
  },
  lastError: {
    title: 'Last error',
    type: 'text?',
    inDetail: ({ lastError }) => lastError ?? undefined,
    tone: webhookTone,
  },
  parkedAt: {
    title: 'Given up',
    type: 'date?',
    inDetail: ({ parkedAt }, _, now) => ifAny(parkedAt, now),
  },
  overlapEndsAt: {
    title: 'Old secret until',
    type: 'date?',
    inDetail: ({ overlapEndsAt }, _, now) => ifAny(overlapEndsAt, now),
  },
} as const satisfies FieldsOf<ListedWebhook, ListedWebhook>

const columns = ['url', 'events', 'status', 'deliveredAt', 'lastError', 'id']
const sheet = [
  'url',
  'events',
  'status',
  'deliveredAt',
  'failingSince',
  'attempts',
  'lastError',
  'nextAttemptAt',
  'parkedAt',
  'overlapEndsAt',
  'cursor',
  'createdAt',
  'updatedAt',
  'createdBy',
  'organizationId',
  'id',
]

export const platformField = {
  kind: 'toggle',
  label: 'Of the service',
  flag: '--platform',
  summary: 'those of the service, which are told every event; for administrators',
} as const

/** Where webhooks belong: to an organization, as a command names it, or without an id to the service. */
export interface WebhookPlace {
  readonly organizationId: string | undefined
  readonly org?: string | undefined
}

export const placeWords = ({ organizationId, org }: WebhookPlace): WordAndFlags => ({
  flags: organizationId === undefined ? ['--platform'] : flag('org', org),
})

/** The organization of the run. Undefined for the service itself. */
export const placeOf = async (context: FlowContext, isPlatform: boolean): Promise<string | undefined> =>
  isPlatform ? undefined : requireOrganizationId(context)

async function webhooksOf(context: FlowContext, isPlatform: boolean): Promise<readonly Webhook[]> {
  const organizationId = await placeOf(context, isPlatform)
  const { api } = await context.signedIn()
  return api.webhook.listWebhooks(organizationId === undefined ? {} : { organizationId })
}

/** The service adds a slash to a bare host, and few people remember whether theirs ends with one. */
const withoutSlash = (url: string): string => url.replace(/\/$/, '')

const naming: Naming<Webhook> = {
  kind: 'webhook',
  ids: ({ id }) => [id],
  ways: [({ url }, word) => url === word, ({ url }, word) => withoutSlash(url) === withoutSlash(word)],
  describe: ({ id, url }) => `${id}  ${url}`,
  list: 'See them: postern webhook list; those of the service: postern webhook list --platform',
}

/** A webhook, and how `--org` names its organization in a command. */
export interface NamedWebhook {
  readonly webhook: Webhook
  readonly org?: string | undefined
}

const wordsForWebhook = ({ webhook, org }: NamedWebhook): WordAndFlags => ({
  word: webhook.id,
  flags: flag('org', org),
})

async function finder(context: FlowContext, words: readonly string[]) {
  const { api } = await context.signedIn()
  // An id also finds a webhook of the service, or of another organization.
  const webhooks = await viewOrList(words, {
    view: (webhookId) => api.webhook.viewWebhook({ webhookId }),
    goneCode: 'WEBHOOK_NOT_FOUND',
    list: () => webhooksOf(context, false),
  })
  return (word = ''): NamedWebhook => ({ webhook: pickOne(webhooks, word, naming), org: context.organization })
}

const webhookArgument = 'id, or unique address in the organization'

const webhookWords = async (context: FlowContext): Promise<readonly string[]> =>
  (await webhooksOf(context, false)).map(({ id }) => id)

export const webhookSubject: Subject<NamedWebhook> = {
  argument: '<webhook>',
  summary: webhookArgument,
  key: 'webhookId',
  finder: (context, _, words) => finder(context, words),
  words: wordsForWebhook,
  name: ({ webhook }) => webhook.url,
  complete: webhookWords,
}

export const webhookSubjects: Subject<NamedWebhook> = { ...webhookSubject, argument: '<webhook...>' }

/** Why my role may not do this to the webhooks of the organization. Of the service only it knows. */
export const whyNotChange = (
  view: OrganizationView | undefined,
  action: 'create' | 'update' | 'delete',
): string | undefined => view && (whyNotReadTrail(view) ?? whyNotPermitted(view, `webhook:${action}`))

/** The address of one, or the number of several. */
export const webhookCount = ([first, ...rest]: readonly NamedWebhook[]): string =>
  rest.length === 0 ? `the webhook ${first?.webhook.url ?? ''}`.trim() : `${countText(rest.length + 1)} webhooks`

const listFields = { platform: platformField } as const

export const webhookList: Listing<ListedWebhook, typeof listFields> = {
  command: 'webhook list',
  summary: 'Where the events of the organization are sent to, and what fails',
  fields: listFields,
  call: '/webhook/list',
  answer: webhookFields,
  columns: columnsOf<ListedWebhook>(webhookFields, columns),
  empty: 'No webhooks',
  examples: ['', '--platform', '--org acme --json=url,status,lastError'],
  list: async (context, { platform }) => (await webhooksOf(context, platform)).map(toListedWebhook),
}

const viewFields = {
  webhook: {
    kind: 'text',
    label: 'Webhook',
    argument: '<webhook>',
    summary: webhookArgument,
    key: 'webhookId',
    complete: webhookWords,
  },
} as const

export const webhookView: Sheet<ListedWebhook, typeof viewFields> = {
  command: 'webhook view',
  summary: 'One webhook: what it is told, how far it has come, and why it waits',
  fields: viewFields,
  call: '/webhook/view',
  answer: webhookFields,
  columns: columnsOf<ListedWebhook>(webhookFields, sheet),
  examples: ['https://example.com/hook', 'https://example.com/hook --json=cursor'],
  view: async (context, { webhook }) => toListedWebhook((await finder(context, [webhook]))(webhook).webhook),
}
