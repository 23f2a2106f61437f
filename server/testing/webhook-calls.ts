import type { FailureName } from '../../shared/errors.ts'
import { noSuchMark } from './calls.ts'
import { holder } from './machines.ts'
import { done, type Founded, found } from './organizations.ts'
import { ageSessions } from './rows.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** An address that nobody sends to: it is not resolved before something is sent. */
export const receiverUrl = 'https://receiver.example.com/hook'

export const webhookOf = ({ id: organizationId, owner }: Founded, fields: object = {}): Promise<Reply['body']> =>
  done(owner.post('/webhook/create', { url: receiverUrl, organizationId, ...fields }))

/** One answer of each call about webhooks, with everything in it that it can have. */
export function webhookAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  const withWebhook = async (ask: (owner: Visitor, webhookId: string, acme: Founded) => Promise<Reply>) => {
    const acme = await found(service())
    return ask(acme.owner, (await webhookOf(acme, { events: ['member'] })).id, acme)
  }
  return {
    createWebhook: async () => {
      const { id: organizationId, owner } = await found(service())
      return owner.post('/webhook/create', { url: receiverUrl, organizationId, events: ['member'] })
    },
    listWebhooks: () => withWebhook((owner, _id, acme) => owner.get(`/webhook/list?organizationId=${acme.id}`)),
    viewWebhook: () => withWebhook((owner, webhookId) => owner.get(`/webhook/view?webhookId=${webhookId}`)),
    updateWebhook: () => withWebhook((owner, webhookId) => owner.post('/webhook/update', { webhookId, paused: true })),
    rotateWebhook: () => withWebhook((owner, webhookId) => owner.post('/webhook/rotate', { webhookId })),
    resumeWebhook: () => withWebhook((owner, webhookId) => owner.post('/webhook/resume', { webhookId })),
    testWebhook: () => withWebhook((owner, webhookId) => owner.post('/webhook/test', { webhookId })),
    deleteWebhook: () => withWebhook((owner, webhookId) => owner.post('/webhook/delete', { webhookId })),
  }
}

type Ways = Partial<Record<FailureName, () => Promise<Reply>>>

/** How each failure of the calls about webhooks is reached. */
export function webhookWays(service: () => TestService): Record<string, Ways> {
  const stale = async () => {
    const person = await service().person()
    await ageSessions(service(), person.email, 2 * 86_400)
    return person
  }
  const create = async (person: Visitor, fields: object = {}) =>
    person.post('/webhook/create', { url: receiverUrl, ...fields })
  const inAcme = async (fields: object, at = service()) => {
    const acme = await found(at)
    return create(acme.owner, { organizationId: acme.id, ...fields })
  }
  /** A member who may read the trail, and nothing with webhooks. */
  const asReader = async (ask: (reader: Visitor, webhookId: string) => Promise<Reply>) => {
    const acme = await found(service())
    const { id } = await webhookOf(acme)
    return ask(await holder(service(), acme, { organization: ['update'] }), id)
  }
  const changed = async (fields: object) => {
    const acme = await found(service())
    return acme.owner.post('/webhook/update', { webhookId: (await webhookOf(acme)).id, ...fields })
  }
  const webhookId = 'no-such-webhook'
  const none = async (path: string, fields: object = {}) =>
    (await service().person()).post(path, { webhookId, ...fields })
  return {
    createWebhook: {
      SESSION_NOT_FRESH: async () => create(await stale()),
      WEBHOOK_URL_INVALID: () => inAcme({ url: 'http://receiver.example.com' }),
      WEBHOOK_URL_PRIVATE: () => inAcme({ url: 'https://10.0.0.1/hook' }),
      EVENT_NOT_FOUND: () => inAcme({ events: ['no-such-event'] }),
      NOT_A_MEMBER_FORBIDDEN: async () =>
        create(await service().person(), { organizationId: (await found(service())).id }),
      WEBHOOK_CREATE_FORBIDDEN: async () => create(await service().person()),
      WEBHOOK_LIMIT_REACHED: async () => inAcme({}, await service().sibling({ WEBHOOK_LIMIT: '0' })),
    },
    listWebhooks: {
      NOT_A_MEMBER_FORBIDDEN: async () =>
        (await service().person()).get(`/webhook/list?organizationId=${(await found(service())).id}`),
      WEBHOOK_LIST_FORBIDDEN: async () => (await service().person()).get('/webhook/list'),
    },
    viewWebhook: {
      WEBHOOK_NOT_FOUND: async () => (await service().person()).get(`/webhook/view?webhookId=${webhookId}`),
    },
    updateWebhook: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/webhook/update', { webhookId, url: receiverUrl }),
      WEBHOOK_URL_INVALID: () => changed({ url: 'ftp://receiver.example.com' }),
      WEBHOOK_URL_PRIVATE: () => changed({ url: 'https://[::1]/hook' }),
      EVENT_NOT_FOUND: () => changed({ events: ['no-such-event'] }),
      NO_DATA_TO_UPDATE: () => none('/webhook/update'),
      WEBHOOK_NOT_FOUND: () => none('/webhook/update', { paused: true }),
      WEBHOOK_UPDATE_FORBIDDEN: () =>
        asReader((reader, id) => reader.post('/webhook/update', { webhookId: id, paused: true })),
    },
    rotateWebhook: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/webhook/rotate', { webhookId }),
      WEBHOOK_NOT_FOUND: () => none('/webhook/rotate'),
      WEBHOOK_UPDATE_FORBIDDEN: () => asReader((reader, id) => reader.post('/webhook/rotate', { webhookId: id })),
    },
    resumeWebhook: {
      WEBHOOK_NOT_FOUND: () => none('/webhook/resume'),
      WEBHOOK_UPDATE_FORBIDDEN: () => asReader((reader, id) => reader.post('/webhook/resume', { webhookId: id })),
      CURSOR_OF_ANOTHER_DATABASE: async () => {
        const acme = await found(service())
        return acme.owner.post('/webhook/resume', { webhookId: (await webhookOf(acme)).id, after: noSuchMark })
      },
    },
    testWebhook: {
      WEBHOOK_NOT_FOUND: () => none('/webhook/test'),
      WEBHOOK_UPDATE_FORBIDDEN: () => asReader((reader, id) => reader.post('/webhook/test', { webhookId: id })),
    },
    deleteWebhook: {
      WEBHOOK_NOT_FOUND: () => none('/webhook/delete'),
      WEBHOOK_DELETE_FORBIDDEN: () => asReader((reader, id) => reader.post('/webhook/delete', { webhookId: id })),
    },
  }
}
