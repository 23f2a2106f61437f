import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../shared/failure.ts'
import { jittered } from '../../shared/jittered.ts'
import { newId } from '../crypto/id.ts'
import { isStatementsOwnFault } from '../db/outage.ts'
import { claimWebhooks, wakeAllWebhooks, wakeWebhooks } from '../db/webhook-feed.ts'
import type { Deps } from '../deps.ts'
import { type DeliveryParts, deliver, type Lease, type WebhookTimes, webhookTimes } from './deliver.ts'
import { createPost } from './post.ts'

/** Sends to webhooks until it is stopped. */
export interface WebhookSender {
  /** Begins no more deliveries. Those under way have 5 seconds, and are tried again after that. */
  stop(): Promise<void>
}

interface SenderParts extends Pick<Deps, 'sql' | 'config' | 'keys' | 'log' | 'now' | 'observer'> {
  readonly times?: Partial<WebhookTimes>
}

/** Webhooks that are sent to at once. A slow receiver takes one of these places for one turn at a time. */
const places = 16
/**
 * Tells webhooks what the trail records. Shares them with other processes: each webhook is sent to by one process at a
 * time. Holds no connection and no transaction while sending. Never throws: errors are logged, and the next look tries
 * again.
 */
export function startWebhookSender({ times: given, ...parts }: SenderParts): WebhookSender {
  const times = { ...webhookTimes, ...given }
  const [leaving, cut] = [new AbortController(), new AbortController()]
  setMaxListeners(places, cut.signal)
  const post = createPost(parts.config, times.answer)
  const { look, ended } = createLook({ ...parts, times, leaving: leaving.signal, cut: cut.signal, post })
  let timer: NodeJS.Timeout | undefined
  const lookAgain = () => {
    look()
    timer = setTimeout(lookAgain, jittered(times.poll * 1000)).unref()
  }
  lookAgain()
  const withinGrace = () => Promise.race([ended(), sleep(times.grace * 1000, undefined, { ref: false })])
  return {
    stop: async () => {
      leaving.abort()
      clearTimeout(timer)
      await withinGrace()
      cut.abort()
      await withinGrace()
    },
  }
}

/** `look` wakes and claims webhooks, one look at a time, and looks again whenever one of them had its turn. */
function createLook(parts: DeliveryParts) {
  const running = new Map<Promise<void>, string | null>()
  let looking: Promise<void> | undefined
  let isWanted = false

  function look(): void {
    isWanted = true
    if (looking || parts.leaving.aborted || running.size >= places) return
    isWanted = false
    looking = claimAll().finally(() => {
      looking = undefined
      if (isWanted) look()
    })
  }
  async function claimAll(): Promise<void> {
    for (const webhook of await claim(parts, busyIn(running), places - running.size)) {
      const turn: Promise<void> = deliverLogged(webhook, parts).finally(() => {
        running.delete(turn)
        look()
      })
      running.set(turn, webhook.organizationId)
    }
  }
  const ended = async () => {
    await looking
    await Promise.all(running.keys())
  }
  return { look, ended }
}

/** Turns that the webhooks of one organization may have at once, and from which on those of the service get no more. */
const [placesOfOne, placesOfService] = [2, places / 2]

/** Organizations that have all their turns already; empty: the service. */
function busyIn(running: ReadonlyMap<unknown, string | null>): readonly string[] {
  const turns = [...running.values()].map((id) => id ?? '')
  const share = (id: string) => (id === '' ? placesOfService : placesOfOne)
  return [...new Set(turns)].filter((id) => turns.filter((one) => one === id).length >= share(id))
}

async function claim(
  { sql, log, times }: DeliveryParts,
  busy: readonly string[],
  most: number,
): Promise<readonly Lease[]> {
  const lease = newId()
  try {
    await wake(sql, log)
    const claimed = await claimWebhooks(sql, { lease, seconds: times.lease, most, busy })
    return claimed.map((webhook) => ({ ...webhook, lease }))
  } catch (err) {
    log.warn({ err }, 'webhooks cannot be looked for; it is tried again at the next look')
    return []
  }
}

/** Where it takes too long to see which webhooks have news, all of them look for themselves. */
async function wake(sql: DeliveryParts['sql'], log: DeliveryParts['log']): Promise<void> {
  try {
    await wakeWebhooks(sql)
  } catch (err) {
    // In an outage that cannot be done either.
    if (err instanceof Failure && !isStatementsOwnFault(err)) throw err
    log.warn({ err }, 'it cannot be seen which webhooks have news, so all of them look')
    await wakeAllWebhooks(sql)
  }
}

/** A webhook that nobody gave back is claimed again when its lease ends. */
async function deliverLogged(webhook: Lease, parts: DeliveryParts): Promise<void> {
  try {
    await deliver(webhook, parts)
  } catch (err) {
    parts.log.warn({ err, webhookId: webhook.id }, 'a webhook could not be sent to; it is tried again later')
  }
}
