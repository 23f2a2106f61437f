import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { readRateLimits } from '../settings/rate-limits.ts'
import type { Assignment, PrimaryCalls, WorkerCalls } from './calls.ts'
import { Channel, type Port } from './channel.ts'
import { HashTurns } from './hash-turns.ts'
import { SharedState } from './shared-state.ts'
import { WorkerPart } from './worker-part.ts'

const read = readRateLimits({ sessionCalls: { max: 10, window: '1h' } })
if ('problems' in read) throw new Error('The limits are wrong')
const { limits } = read

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

/** A primary and workers, as they are in processes of their own. */
async function createWorkers(workers: number) {
  const state = new SharedState({ limits, workers, hashing: { running: 2, waiting: 8, timeout: 60_000 } })
  const join = async () => {
    const [near, far] = createPipe()
    const turns = new HashTurns(state.hashQueue)
    const member = { channel: null as never as Channel<PrimaryCalls, WorkerCalls> }
    member.channel = new Channel<PrimaryCalls, WorkerCalls>(near, {
      join: (): Assignment => {
        state.enter(member)
        return { env: {}, cwd: '', workers, isFirst: true, isLate: false, hashPlaces: 10, acts: state.acts.counts() }
      },
      count: (limit, key) => state.counter(limit).count(key),
      refund: (limit, key) => void state.counter(limit).refund(key),
      acted: () => undefined,
      revoked: () => undefined,
      hashTurn: (sender) => turns.take(sender),
      hashDone: (turn) => turns.end(turn),
      serving: () => undefined,
      failed: () => undefined,
      stopped: () => undefined,
    })
    const part = await WorkerPart.join(far, () => undefined)
    const limiter = part.sharedLimits(limits).rateLimiter('sessionCalls')
    const die = () => {
      state.leave(member)
      turns.endAll()
      member.channel.close()
    }
    return { part, limiter, die }
  }
  return { state, all: await Promise.all(Array.from({ length: workers }, join)) }
}

it('a limit lets through exactly what it says, however the uses are spread over the workers', async () => {
  const spreads: ((use: number) => number)[] = [(use) => use % 4, () => 0, (use) => (use < 9 ? 3 : use % 4)]
  for (const [key, spread] of spreads.entries()) {
    const { all } = await createWorkers(4)
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, use) => all[spread(use)]!.limiter.count(`key ${key}`)),
    )
    expect(answers.filter((wait) => wait === null)).toHaveLength(10)
  }
})

it('a refunded use can be used again, by another worker too', async () => {
  const { all } = await createWorkers(2)
  for (let use = 0; use < 10; use += 1) expect(await all[use % 2]!.limiter.count('key')).toBeNull()
  all[0]!.limiter.refund('key')
  expect(await all[1]!.limiter.count('key')).toBeNull()
  expect(await all[0]!.limiter.count('key')).not.toBeNull()
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
  const jobs = all.flatMap(({ part }) => [1, 2, 3].map(() => part.hashQueue.run(job)))
  expect(await Promise.all(jobs)).toEqual(Array(9).fill('hashed'))
  expect(most).toBe(2)
  // Two that never end, and then their worker dies.
  const stuck = [1, 2].map(() => all[0]!.part.hashQueue.run(() => new Promise(() => undefined)))
  await expect.poll(() => state.hashQueue.running).toBe(2)
  const next = all[1]!.part.hashQueue.run(job)
  all[0]!.die()
  expect(await next).toBe('hashed')
  expect(stuck).toHaveLength(2)
  await expect.poll(() => [state.hashQueue.running, state.hashQueue.waiting]).toEqual([0, 0])
})

it('a full queue refuses with the reason for the log', async () => {
  const { all } = await createWorkers(2)
  const never = () => new Promise<never>(() => undefined)
  for (let count = 0; count < 10; count += 1) all[count % 2]!.part.hashQueue.run(never).catch(() => undefined)
  await expect(all[1]!.part.hashQueue.run(never)).rejects.toMatchObject({
    failure: 'SERVICE_UNAVAILABLE',
    cause: 'queue of password hashes: too many are waiting',
    retryAfter: 2,
  })
})
