import { EventEmitter } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { createRevocations } from '../domain/session/revocations.ts'
import type { JobQueue } from '../limits/fair-queue.ts'
import { steadyNow } from '../memory/steady-now.ts'
import { readRateLimits } from '../settings/rate-limits.ts'
import { slack } from '../testing/slack.ts'
import type { Assignment, PrimaryCalls, WorkerCalls } from './calls.ts'
import { Channel, type Port } from './channel.ts'
import { HashTurns } from './hash-turns.ts'
import type { SharedSettings } from './shared-settings.ts'
import { type SharedOptions, SharedState } from './shared-state.ts'
import { WorkerPart } from './worker-part.ts'

const read = readRateLimits({ sessionCalls: { max: 10, window: '1h' } })
if ('problems' in read) throw new Error('The limits are wrong')
const { limits } = read
const settings: SharedSettings = {
  RATE_LIMITS: limits,
  COOKIE_CACHE: true,
  COOKIE_CACHE_MAX_AGE: 60,
  PASSWORD_QUEUE: 4,
  PASSWORD_QUEUE_TIMEOUT: 60,
}

afterEach(() => {
  vi.useRealTimers()
})

/** Two ends of a pipe that, as between processes, carries copies. */
function createPipe(): readonly [Port, Port] {
  const [one, other] = [new EventEmitter(), new EventEmitter()]
  const portOf = (own: EventEmitter, far: EventEmitter): Port => ({
    on: (event, listener) => own.on(event, listener),
    send(message, whenSent) {
      const text = JSON.stringify(message)
      setImmediate(() => {
        whenSent(null)
        far.emit('message', JSON.parse(text))
      })
      return true
    },
  })
  return [portOf(one, other), portOf(other, one)]
}

interface Start {
  /** What it tells travels in the message that answers `join`. */
  readonly whileJoining?: (channel: Channel<PrimaryCalls, WorkerCalls>) => void
  readonly whileStarting?: (channel: Channel<PrimaryCalls, WorkerCalls>) => void
}

const tenHashes = { running: 2, waiting: 8, timeout: 60_000 * slack }

/** A primary and workers, as they are in processes of their own. */
async function createWorkers(workers: number, { hashing }: Pick<SharedOptions, 'hashing'> = { hashing: tenHashes }) {
  const state = new SharedState({ settings, workers, hashing })
  const join = async ({ whileJoining, whileStarting }: Start = {}) => {
    const [near, far] = createPipe()
    const turns = new HashTurns(state.hashQueue)
    const member = { channel: null as never as Channel<PrimaryCalls, WorkerCalls> }
    member.channel = new Channel<PrimaryCalls, WorkerCalls>(near, {
      join: (): Assignment => {
        state.enter(member)
        // Before the answer is sent, which happens after this turn of the event loop.
        setImmediate(() => whileJoining?.(member.channel))
        const given = { acts: state.acts.counts(), revoked: state.revocations.all() }
        return { env: {}, cwd: '', workers, isFirst: true, isLate: false, hashing, ...given }
      },
      count: (limit, key) => state.counter(limit).count(key),
      refund: (limit, key) => void state.counter(limit).refund(key),
      acted: (act) => state.acts.count(act),
      revoked: (ids) => state.revocations.add(ids),
      hashTurn: (sender) => turns.take(sender),
      hashDone: (turn) => turns.end(turn),
      serving: () => undefined,
      failed: () => undefined,
      stopped: () => undefined,
    })
    const part = await WorkerPart.join(far, () => undefined)
    whileStarting?.(member.channel)
    // What was told has arrived by then.
    await member.channel.ask('metrics')
    const { actLimits, rateLimiter } = part.sharedLimits(limits)
    const limiter = rateLimiter('sessionCalls')
    const revocations = part.sharedRevocations(createRevocations(settings, () => new Date(), steadyNow))
    const die = () => {
      state.leave(member)
      turns.endAll()
      member.channel.close()
    }
    return { part, limiter, actLimits, revocations, hashQueue: part.sharedHashQueue(settings), die }
  }
  return { state, join, all: await Promise.all(Array.from({ length: workers }, () => join())) }
}

// With twelve, a worker's own share of the limit is nothing.
it.each([4, 12])(
  'a limit lets through exactly what it says, however the uses are spread over %d workers',
  async (workers) => {
    const spreads: ((use: number) => number)[] = [
      (use) => use % workers,
      () => 0,
      (use) => (use < 9 ? 3 : use % workers),
    ]
    for (const [key, spread] of spreads.entries()) {
      const { all } = await createWorkers(workers)
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, use) => all[spread(use)]!.limiter.count(`key ${key}`)),
      )
      expect(answers.filter((wait) => wait === null)).toHaveLength(10)
    }
  },
)

it('a refunded use can be used again, by another worker too', async () => {
  const { all } = await createWorkers(2)
  for (let use = 0; use < 10; use += 1) expect(await all[use % 2]!.limiter.count('key')).toBeNull()
  all[0]!.limiter.refund('key')
  expect(await all[1]!.limiter.count('key')).toBeNull()
  expect(await all[0]!.limiter.count('key')).not.toBeNull()
})

it('a window that was full has room again once a use is refunded, in every worker', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { all } = await createWorkers(2)
  for (let use = 0; use < 10; use += 1) await all[use % 2]!.limiter.count('key')
  for (const { limiter } of all) expect(await limiter.count('key')).toBe(3600)
  for (let use = 0; use < 4; use += 1) all[0]!.limiter.refund('key')
  expect(await all[0]!.limiter.count('key')).toBeNull()
  vi.advanceTimersByTime(250)
  expect(await all[1]!.limiter.count('key')).toBeNull()
  expect(await all[1]!.limiter.count('key')).not.toBeNull()
})

it('a worker that does not tell what it has counted is taken to have used up its share', async () => {
  const state = new SharedState({ settings, workers: 2, collectTime: 1 })
  state.enter({ channel: { ask: () => new Promise(() => undefined), tell: () => undefined } })
  const waits: (number | null)[] = []
  for (let use = 0; use < 10; use += 1) waits.push((await state.counter('sessionCalls').count('key')).retryAfter)
  expect(waits.filter((wait) => wait === null)).toHaveLength(8)
})

it('a limit that was changed holds at once, for windows that are open too', async () => {
  const { state, all } = await createWorkers(2)
  for (let use = 0; use < 6; use += 1) expect(await all[use % 2]!.limiter.count('key')).toBeNull()
  state.adopt({ ...settings, RATE_LIMITS: { ...limits, sessionCalls: { max: 3, window: 3600 } }, PASSWORD_QUEUE: 1 })
  expect(await all[0]!.limiter.count('key')).toBeGreaterThan(3000)
  expect(await all[1]!.limiter.count('key')).toBeGreaterThan(3000)
})

it('a queue of the settings changes with them, and one that was given does not', () => {
  const [own, given] = [{}, { hashing: tenHashes }].map((more) => new SharedState({ settings, workers: 1, ...more }))
  const { running } = own!.hashQueue.limits
  for (const state of [own, given]) state!.adopt({ ...settings, PASSWORD_QUEUE: 7 })
  expect(own!.hashQueue.limits).toMatchObject({ running, waiting: running * 7 })
  expect(given!.hashQueue.limits).toMatchObject({ running: 2, waiting: 8 })
})

/** How many jobs of a sender a queue prepares before it refuses one more. */
function placesIn(queue: JobQueue, sender?: string): number {
  const never = () => new Promise<never>(() => undefined)
  const before = queue.refused
  for (let places = 0; ; places += 1) {
    void queue.prepare(never, sender).catch(() => undefined)
    if (queue.refused > before) return places
  }
}

it('a worker has the places of the settings that it has read itself, unless they were given', async () => {
  const changed = { ...settings, PASSWORD_QUEUE: 7 }
  const [own, given] = await Promise.all([createWorkers(1, {}), createWorkers(1)])
  const { running } = own.state.hashQueue.limits
  expect(placesIn(own.all[0]!.part.sharedHashQueue(changed))).toBe(running * 8)
  expect(placesIn(given.all[0]!.part.sharedHashQueue(changed))).toBe(10)
})

it('in a worker, too, one network has only its part of the places', async () => {
  const { all } = await createWorkers(1)
  const { hashQueue } = all[0]!
  for (const network of ['192.0.2.1', '192.0.2.2']) expect(placesIn(hashQueue, network)).toBe(4)
  expect(placesIn(hashQueue)).toBe(2)
})

it('a worker that starts later refuses what was ended, and has counted what was done, before it and while it starts', async () => {
  const { state, join, all } = await createWorkers(1)
  const act = {
    name: 'user-updated',
    actorId: 'ann',
    impersonatorId: null,
    isServer: false,
    organizationId: null,
  } as const
  const most = limits.acts.max
  all[0]!.revocations.add(['before'])
  for (let count = 2; count < most; count += 1) all[0]!.actLimits.count(act)
  await expect.poll(() => state.revocations.all()).toEqual(['before'])
  const late = await join({
    whileJoining(channel) {
      channel.tell('revoked', ['at once'])
      channel.tell('acted', act)
    },
    whileStarting(channel) {
      channel.tell('revoked', ['meanwhile'])
      channel.tell('acted', act)
    },
  })
  const known = ['before', 'at once', 'meanwhile', 'never'].map((id) => late.revocations.has(id))
  expect(known).toEqual([true, true, true, false])
  expect(late.actLimits.refusalOf(act)).toMatchObject({ limit: 'acts' })
  state.adopt({ ...settings, PASSWORD_QUEUE: 9 })
  const later = await join()
  expect(['before', 'never'].map((id) => later.revocations.has(id))).toEqual([true, false])
  // Those of the others only: what `late` was told is not in the state.
  for (let count = 0; count < 2; count += 1) {
    expect(later.actLimits.refusalOf(act)).toBeNull()
    later.actLimits.count(act)
  }
  expect(later.actLimits.refusalOf(act)).toMatchObject({ limit: 'acts' })
})

it('what a worker asks of a primary that is gone is refused, and waits for nobody', async () => {
  const { all } = await createWorkers(1)
  const [{ part, hashQueue, limiter }] = all as [(typeof all)[number]]
  const never = () => new Promise<never>(() => undefined)
  for (let count = 0; count < 2; count += 1) hashQueue.run(never).catch(() => undefined)
  const waiting = hashQueue.run(never)
  for (let use = 0; use < 5; use += 1) void limiter.count('key')
  const asked = limiter.count('key')
  part.leave()
  expect(await asked).toBe(1)
  await expect(waiting).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 2 })
  await expect(hashQueue.run(never)).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
})

it('all workers together run as many hashes as the queue allows, and no turn is lost with a worker', async () => {
  const { state, all } = await createWorkers(3)
  let running = 0
  let most = 0
  const job = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return 'hashed'
  }
  const jobs = all.flatMap(({ hashQueue }) => [1, 2, 3].map(() => hashQueue.run(job)))
  expect(await Promise.all(jobs)).toEqual(Array(9).fill('hashed'))
  expect(most).toBe(2)
  // Two that never end, and then their worker dies.
  const stuck = [1, 2].map(() => all[0]!.hashQueue.run(() => new Promise(() => undefined)))
  await expect.poll(() => state.hashQueue.running).toBe(2)
  const next = all[1]!.hashQueue.run(job)
  all[0]!.die()
  expect(await next).toBe('hashed')
  expect(stuck).toHaveLength(2)
  await expect.poll(() => [state.hashQueue.running, state.hashQueue.waiting]).toEqual([0, 0])
})

it('a full queue refuses with the reason for the log', async () => {
  const { all } = await createWorkers(2)
  const never = () => new Promise<never>(() => undefined)
  for (let count = 0; count < 10; count += 1) all[count % 2]!.hashQueue.run(never).catch(() => undefined)
  await expect(all[1]!.hashQueue.run(never)).rejects.toMatchObject({
    failure: 'SERVICE_UNAVAILABLE',
    cause: 'queue of password hashes: too many are waiting',
    retryAfter: 2,
  })
})
