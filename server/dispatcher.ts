import { setTimeout as sleep } from 'node:timers/promises'
import { claimMail } from './db/outbox.ts'
import { type DispatchParts, dispatch } from './dispatch.ts'

export interface Dispatcher {
  /** Looks for mails now. */
  nudge(): void
  /** Takes no more mails, and waits a while for those under way. */
  stop(): Promise<void>
}

/** Seconds. */
interface DispatcherTimes {
  /** Between two looks. */
  readonly poll: number
  /** How long a mail belongs to whom claimed it; longer than any sending takes. */
  readonly lease: number
  /** Until the second try; doubles from there. */
  readonly retry: number
  /** For mails under way when it stops. */
  readonly grace: number
}

interface DispatcherParts extends DispatchParts {
  readonly times?: Partial<DispatcherTimes>
}

const usual: DispatcherTimes = { poll: 5, lease: 60, retry: 30, grace: 5 }
/** Mails under way at once, one for each connection of the transport. */
const lanes = 2

/** Sends what the outbox holds, sharing it with other processes; no connection or transaction is held meanwhile. */
export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const times = { ...usual, ...parts.times }
  const crew = createCrew(parts, times)
  let timer: NodeJS.Timeout | undefined
  // Jitter keeps several processes from looking in step.
  const look = () => {
    crew.nudge()
    timer = setTimeout(look, times.poll * 1000 * (0.75 + Math.random() / 2)).unref()
  }
  look()
  return {
    nudge: crew.nudge,
    stop: async () => {
      clearTimeout(timer)
      await Promise.race([crew.leave(), sleep(times.grace * 1000, undefined, { ref: false })])
      parts.transport.close()
      // What was cut off notes that it was; what cannot be cut off is tried again by whoever comes next.
      await Promise.race([crew.leave(), sleep(1000, undefined, { ref: false })])
    },
  }
}

/** A few lanes that claim and send until nothing is due; one stalled mail holds up its own lane alone. */
function createCrew(parts: DispatcherParts, { lease, retry }: DispatcherTimes) {
  const busy = new Set<Promise<void>>()
  let isLeaving = false
  let isWanted = false

  async function claim() {
    try {
      return isLeaving ? null : await claimMail(parts.sql, lease)
    } catch (err) {
      parts.log.warn({ err }, 'the outbox cannot be read; the next look tries again')
      return null
    }
  }
  async function lane(): Promise<void> {
    while (isWanted && !isLeaving) {
      isWanted = false
      for (let mail = await claim(); mail; mail = await claim()) {
        nudge()
        await dispatch(mail, parts, retry)
      }
    }
  }
  // What is stored while a lane looks is seen by its next look.
  function nudge(): void {
    isWanted = true
    if (isLeaving || busy.size >= lanes) return
    const running = lane().finally(() => busy.delete(running))
    busy.add(running)
  }
  async function leave(): Promise<void> {
    isLeaving = true
    await Promise.all(busy)
  }
  return { nudge, leave }
}
