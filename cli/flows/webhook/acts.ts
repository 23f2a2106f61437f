import { commandWith } from '../command-line.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { OrganizationView } from '../org/view.ts'
import { eventsField, eventsIn, notesOn, urlProblem, urlRefusals } from './new-webhook.ts'
import {
  type ListedWebhook,
  type NamedWebhook,
  toListedWebhook,
  webhookCount,
  webhookFields,
  webhookSubject,
  webhookSubjects,
  whyNotChange,
} from './webhooks.ts'

const editFields = {
  url: {
    kind: 'text',
    label: 'Address',
    flag: '--to <url>',
    example: 'https://example.com/hook',
    summary: 'where the events are sent',
    key: 'url',
    isOptional: true,
    isNeverEmpty: true,
    check: urlProblem,
    refusals: urlRefusals,
  },
  events: { ...eventsField, summary: 'names or groups of events instead of the present ones; empty: all' },
  all: {
    kind: 'toggle',
    label: 'All events',
    flag: '--all-events',
    summary: 'every event instead of the present ones',
    onlyInCommands: true,
  },
  paused: {
    kind: 'choice',
    label: 'Paused',
    flag: '--paused <state>',
    summary: 'on: send nothing until it is turned off; what happens meanwhile is sent then',
    values: ['on', 'off'],
    isOptional: true,
    onlyInCommands: true,
  },
} as const

export const editWebhook: Flow<NamedWebhook, typeof editFields, OrganizationView | undefined, ListedWebhook> = {
  command: 'webhook edit',
  summary: 'Change the address or the events of a webhook, or pause it',
  title: 'Edit the webhook',
  isEdit: true,
  subject: webhookSubject,
  fields: editFields,
  call: '/webhook/update',
  answer: webhookFields,
  examples: [
    'https://example.com/hook --paused on',
    'https://example.com/hook --event member team',
    'https://example.com/hook --all-events --to https://example.com/other',
  ],
  disabledReason: (_, view) => whyNotChange(view, 'update'),
  note: () => 'Without events, it is told all.',
  initial: ([one]) => (one ? { url: one.webhook.url, events: one.webhook.events ?? [] } : {}),
  check: ({ all, events = [] }) => ({
    all: all && events.length > 0 ? 'Name events or all of them, not both' : undefined,
  }),
  run: async (context, { webhook }, { url, events, all, paused }) => {
    const { api } = await context.signedIn()
    const updated = await api.webhook.updateWebhook({
      webhookId: webhook.id,
      ...(url && { url }),
      ...(all || events?.length === 0 ? { events: null } : eventsIn(events)),
      ...(paused && { paused: paused === 'on' }),
    })
    return {
      sentence: `Updated the webhook ${updated.url}`,
      status: 'updated',
      resource: toListedWebhook(updated),
      notes: url ? notesOn(updated) : [],
    }
  },
}

const resumeFields = {
  after: {
    kind: 'text',
    label: 'After',
    flag: '--after <cursor>',
    summary: 'replay from there: a cursor of webhook view, or latest of an activity answer',
    key: 'after',
    isOptional: true,
  },
} as const

export const resumeWebhook: Flow<NamedWebhook, typeof resumeFields, OrganizationView | undefined, ListedWebhook> = {
  command: 'webhook resume',
  summary: 'Retry undelivered events now, or replay from a cursor',
  title: 'Retry or replay',
  subject: webhookSubjects,
  fields: resumeFields,
  bulk: 'subject',
  answersOne: true,
  call: '/webhook/resume',
  answer: webhookFields,
  examples: ['https://example.com/hook', 'postern webhook list --quiet | postern webhook resume -'],
  note: () => 'Sends at once what is not delivered yet. A cursor sends again everything after it.',
  disabledReason: (_, view) => whyNotChange(view, 'update'),
  run: async (context, named, { after }) => {
    const { webhook } = named
    const { api } = await context.signedIn()
    const resumed = await api.webhook.resumeWebhook({ webhookId: webhook.id, ...(after && { after }) })
    const resource = toListedWebhook(resumed)
    if (!resumed.paused) return { sentence: `Resumed the webhook ${resumed.url}`, status: 'updated', resource }
    const isChanged = after || webhook.parkedAt !== null
    return {
      sentence: `The webhook ${resumed.url} is still paused`,
      status: isChanged ? 'updated' : 'unchanged',
      resource,
      notes: [`It sends nothing until the pause ends: ${endOfPause(named)}`],
    }
  },
  doneWith: (several) => {
    const paused = several.filter(({ webhook }) => webhook.paused).length
    return `Resumed ${webhookCount(several)}${paused > 0 ? `, of which ${paused} stay paused` : ''}`
  },
}

/** An address is looked up in the organization only, where one of the service is not. */
function endOfPause(named: NamedWebhook): string {
  const { id, url, organizationId } = named.webhook
  const { flags = [] } = webhookSubject.words(named)
  return commandWith(editWebhook, [organizationId === null ? id : url], { given: { paused: 'off' }, flags })
}

export const deleteWebhook: Flow<NamedWebhook, NoFields, OrganizationView | undefined, ListedWebhook> = {
  command: 'webhook delete',
  summary: 'Delete webhooks; what they have not delivered is not sent any more',
  title: 'Delete',
  subject: webhookSubjects,
  fields: {},
  bulk: 'subject',
  call: '/webhook/delete',
  answer: webhookFields,
  examples: ['https://example.com/hook --yes'],
  consent: {
    question: (several) => `Delete ${webhookCount(several)}? What is not delivered yet is not sent any more.`,
  },
  disabledReason: (_, view) => whyNotChange(view, 'delete'),
  run: async (context, { webhook }) => {
    const { api } = await context.signedIn()
    const deleted = await api.webhook.deleteWebhook({ webhookId: webhook.id })
    return { sentence: `Deleted the webhook ${deleted.url}`, status: 'deleted', resource: toListedWebhook(deleted) }
  },
  doneWith: (several) => `Deleted ${webhookCount(several)}`,
}
