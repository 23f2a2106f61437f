import type { Environment } from '../config.ts'
import type { WebhookTimes } from '../webhooks/deliver.ts'
import { startWebhookSender, type WebhookSender } from '../webhooks/sender.ts'
import { done, type Founded } from './organizations.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createTestService, type TestService } from './service.ts'
import type { Reply } from './visitor.ts'

/** Receivers of tests are on this machine. */
export const onThisMachine = { WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8' }
/** Soon, since nobody waits for real receivers. Seconds. */
const soon: Partial<WebhookTimes> = { poll: 0.05, retry: 0.02, longestRetry: 0.2 }

export interface WebhookTest {
  readonly service: TestService
  /** A sender that ends with the test. */
  send(times?: Partial<WebhookTimes>, at?: TestService): WebhookSender
  receive(): Promise<Receiver>
  stop(): Promise<void>
}

/** A service whose webhooks may be on this machine, with senders and receivers that end with it. */
export async function startWebhookTest(settings: Environment = {}): Promise<WebhookTest> {
  const service = await createTestService({ ...onThisMachine, ...settings })
  const stops: (() => Promise<void>)[] = []
  return {
    service,
    send: (times, at = service) => {
      const sender = startWebhookSender({ ...at.deps, times: { ...soon, ...times } })
      stops.push(() => sender.stop())
      return sender
    },
    receive: async () => {
      const receiver = await startReceiver()
      stops.push(() => receiver.stop())
      return receiver
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
      await service.stop()
    },
  }
}

/** A webhook of an organization at a receiver. */
export const hookAt = (
  { url }: Pick<Receiver, 'url'>,
  { id, owner }: Founded,
  fields: object = {},
): Promise<Reply['body']> => done(owner.post('/webhook/create', { url, organizationId: id, ...fields }))

/** Makes so many teams, whose names and order the receiver can tell. */
export async function makeTeams({ id: organizationId, owner }: Founded, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1)
    ids.push((await done(owner.post('/organization/create-team', { name: `Team ${index}`, organizationId }))).id)
  return ids
}

/** The targets of the events of a name. */
export const targetsOf = (deliveries: Receiver['got'], type: string): (string | null)[] =>
  deliveries.filter((each) => each.type === type).map(({ data }) => data.target)
