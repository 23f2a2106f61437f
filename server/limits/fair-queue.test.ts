import { expect, it } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { FairQueue } from './fair-queue.ts'

const settle = () => new Promise(setImmediate)

/** Jobs that run until the test ends them, named by their sender. */
function createJobs() {
  const busy = (reason: string) => new Failure('SERVICE_UNAVAILABLE', { cause: reason, retryAfter: 1 })
  const queue = new FairQueue({ running: 3, runningEach: 2, waiting: 10, waitingEach: 4, timeout: 60_000, busy })
  const running: { sender: string; end: () => void }[] = []
  const run = (sender: string) => {
    const job = () => new Promise<void>((resolve) => running.push({ sender, end: resolve }))
    const result = queue.run(job, sender)
    result.catch(() => undefined)
    return result
  }
  /** Ends the oldest job of a sender. */
  const end = async (sender: string) => {
    const index = running.findIndex((job) => job.sender === sender)
    running.splice(index, 1)[0]?.end()
    await settle()
  }
  return {
    queue,
    run,
    end,
    senders: () =>
      running
        .map(({ sender }) => sender)
        .toSorted()
        .join(''),
  }
}

it('lets one sender run its share and no more, also where there is room', async () => {
  const { queue, run, end, senders } = createJobs()
  const greedy = Array.from({ length: 7 }, () => run('g'))
  await settle()
  expect(senders()).toBe('gg')
  expect([queue.running, queue.waiting, queue.refused]).toEqual([2, 4, 1])
  await expect(greedy.at(-1)).rejects.toMatchObject({ retryAfter: 1, cause: 'too many are waiting' })
  const others = [run('a'), run('b')]
  await settle()
  expect(senders()).toBe('agg')
  await end('g')
  expect(senders()).toBe('agg')
  // The other sender has the next turn, although three jobs of the first have waited longer.
  await end('g')
  expect(senders()).toBe('abg')
  await end('a')
  expect(senders()).toBe('bgg')
  await end('b')
  expect(senders()).toBe('gg')
  for (let count = 0; count < 4; count += 1) await end('g')
  await Promise.all([...greedy.slice(0, 6), ...others])
  expect(senders()).toBe('')
})

it('has room for who waits for nothing yet, though many senders have taken all the places', async () => {
  const { run, end } = createJobs()
  const greedy = ['g', 'h', 'i', 'j'].flatMap((sender) => Array.from({ length: 6 }, () => run(sender)))
  await settle()
  const honest = run('a')
  for (let count = 0; count < 6; count += 1) for (const sender of 'ghija') await end(sender)
  await honest
  const settled = await Promise.allSettled(greedy)
  // Three ran, ten waited, and one of those gave up its place.
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(12)
  const reasons = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.cause] : []))
  expect(new Set(reasons)).toEqual(new Set(['too many are waiting', 'gave its place to a sender with fewer jobs']))
})

it('says of a job that had no turn how long it waited', async () => {
  const busy = (reason: string) => new Failure('SERVICE_UNAVAILABLE', { cause: reason })
  const queue = new FairQueue({ running: 1, runningEach: 1, waiting: 1, waitingEach: 1, timeout: 1, busy })
  let end = () => {}
  const first = queue.run(() => new Promise<void>((resolve) => (end = resolve)))
  await expect(queue.run(() => Promise.resolve())).rejects.toMatchObject({ cause: 'had no turn within 1 ms' })
  end()
  await first
})
