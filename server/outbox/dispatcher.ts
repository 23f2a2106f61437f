import { setTimeout as sleep } from 'node:timers/promises'
import { claimMail } from '../db/outbox.ts'
import { type DispatchParts, dispatch } from './dispatch.ts'

/** Sends the mails of the outbox until it is stopped. */
export interface Dispatcher {
  /** Looks for mails now. */
  nudge(): void
  /** Takes no more mails, and waits up to 6 seconds for one that is being sent. */
  stop(): Promise<void>
}

/** Seconds. */
interface DispatcherTimes {
  /** Between two looks at the outbox. */
  readonly poll: number
  /** How long a mail belongs to the process that claimed it; longer than any sending takes. */
  readonly lease: number
  /** Until the second try; doubles from there. */
  readonly retry: number
  /** For mails under way when it stops. */
  readonly grace: number
  /** For one that was cut off then to be stored as failed. */
  readonly cut: number
}

interface DispatcherParts extends DispatchParts {
  readonly times?: Partial<DispatcherTimes>
}

const usual: DispatcherTimes = { poll: 5, lease: 60, retry: 30, grace: 5, cut: 1 }

/**
 * Sends what the outbox holds, sharing it with other processes; holds no connection and no transaction meanwhile. Never
 * throws: what goes wrong is logged, and tried again. `times` are in seconds.
 *
 * @example
 * const transport = await createMailTransport(config, log)
 * const dispatcher = transport && startDispatcher({ ...parts, sql, transport })
 * // …
 * await dispatcher?.stop()
 */
export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const times = { ...usual, ...parts.times }
  const lane = createLane(parts, times)
  let timer: NodeJS.Timeout | undefined
  // Jitter keeps several processes from looking in step.
  const look = () => {
    lane.nudge()
    timer = setTimeout(look, times.poll * 1000 * (0.75 + Math.random() / 2)).unref()
  }
  look()
  return {
    nudge: lane.nudge,
    stop: async () => {
      clearTimeout(timer)
      await Promise.race([lane.leave(), sleep(times.grace * 1000, undefined, { ref: false })])
      parts.transport.close()
      // A mail that was cut off is stored as failed; one that cannot be cut off is tried again when its lease ends.
      await Promise.race([lane.leave(), sleep(times.cut * 1000, undefined, { ref: false })])
    },
  }
}

/** Claims and sends until nothing is due, one mail at a time: a process that is killed repeats one mail at the most. */
function createLane(parts: DispatcherParts, { lease, retry }: DispatcherTimes) {
  let running: Promise<void> | undefined
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
  async function run(): Promise<void> {
    while (isWanted && !isLeaving) {
      isWanted = false
      for (let mail = await claim(); mail; mail = await claim()) await dispatch(mail, parts, retry)
    }
  }
  // A mail that is stored while one look runs is found by the next.
  function nudge(): void {
    isWanted = true
    if (isLeaving) return
    running ??= run().finally(() => {
      running = undefined
      // A nudge that came just as the run ended.
      if (isWanted && !isLeaving) nudge()
    })
  }
  async function leave(): Promise<void> {
    isLeaving = true
    await running
  }
  return { nudge, leave }
}
