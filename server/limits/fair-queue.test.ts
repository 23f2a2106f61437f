import { describe, expect, it, vi } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'

const settle = () => new Promise(setImmediate)

/** Jobs that run until the test ends them, named by their sender. */
function createJobs(own: Partial<FairQueueLimits> = {}) {
  const busy = (reason: string) => new Failure('SERVICE_UNAVAILABLE', { cause: reason, retryAfter: 1 })
  const limits = { running: 3, runningEach: 2, waiting: 10, waitingEach: 4, timeout: 60_000, busy, ...own }
  const queue = new FairQueue(limits)
  const running: { sender: string | undefined; end: () => void }[] = []
  const run = (sender: string | undefined) => {
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
        .map(({ sender = '' }) => sender)
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

it('counts what a sender runs while nothing of it waits', async () => {
  const { run, end, senders } = createJobs()
  for (let count = 0; count < 2; count += 1) void run('g')
  await settle()
  await end('g')
  for (let count = 0; count < 2; count += 1) void run('g')
  await settle()
  expect(senders()).toBe('gg')
})

it('gives the next turn to who has waited longest, whoever ran before', async () => {
  const { run, end, senders } = createJobs({ running: 1, runningEach: 1 })
  void run('a')
  await settle()
  await end('a')
  for (const sender of 'xba') void run(sender)
  await settle()
  await end('x')
  expect(senders()).toBe('b')
})

it('takes a place from the longest line alone, for who waits for less, and loses nothing else of it', async () => {
  const { run, end } = createJobs({ running: 1, runningEach: 1, waiting: 6 })
  const jobs = ['a', 'b', 'b', 'b', 'd', 'd', 'e'].map(run)
  await settle()
  const [newcomer, another, last] = [run('c'), run('e'), run('f')]
  for (const job of [jobs[3], jobs[2]])
    await expect(job).rejects.toMatchObject({ cause: 'gave its place to a sender with fewer jobs' })
  await expect(another).rejects.toMatchObject({ cause: 'too many are waiting' })
  for (let round = 0; round < 7; round += 1) for (const sender of 'abcdef') await end(sender)
  await Promise.all([newcomer, last, ...jobs.filter((_, index) => index !== 3 && index !== 2)])
})

it('takes no place for who can run at once', async () => {
  const { queue, run, senders } = createJobs({ waiting: 4 })
  for (const sender of 'gggggga') void run(sender)
  await settle()
  expect([senders(), queue.waiting, queue.refused]).toEqual(['agg', 4, 0])
})

it('lets a program on this machine have every turn and place that is free, and keep them', async () => {
  const { queue, run } = createJobs()
  for (let count = 0; count < 13; count += 1) void run(undefined)
  await settle()
  expect([queue.running, queue.waiting, queue.refused]).toEqual([3, 10, 0])
  await expect(run('g')).rejects.toMatchObject({ cause: 'too many are waiting' })
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

it('gives up no job that has had its turn', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { queue, run, end } = createJobs({ running: 1, timeout: 1 })
    void run('a')
    void run('b')
    await settle()
    await end('a')
    vi.runAllTimers()
    expect([queue.running, queue.waiting, queue.refused]).toEqual([1, 0, 0])
  } finally {
    vi.useRealTimers()
  }
})

describe('an answer for all that ask the same', () => {
  /** One job of a sender runs at a time, and the test ends it. */
  function createAnswers() {
    const busy = (reason: string) => new Failure('SERVICE_UNAVAILABLE', { cause: reason, retryAfter: 1 })
    const queue = new FairQueue({ running: 2, runningEach: 1, waiting: 9, waitingEach: 3, timeout: 60_000, busy })
    const made: { readonly end: (answer: string) => void; readonly fail: (error: unknown) => void }[] = []
    const make = () => new Promise<string>((resolve, reject) => made.push({ end: resolve, fail: reject }))
    return {
      queue,
      made,
      ask: async (question: unknown, sender = 'ann') => {
        const answer = queue.run(make, sender, question)
        answer.catch(() => undefined)
        await settle()
        return { answer }
      },
      end: async (index: number, answer: string) => {
        made[index]?.end(answer)
        await settle()
      },
    }
  }

  const question = () => ['/list?limit=1', { id: 'ann', since: new Date(0) }]

  it('is made once for those that wait, and never begun before they asked', async () => {
    const { queue, made, ask, end } = createAnswers()
    const first = await ask(question())
    const waiting = [await ask(question()), await ask(question()), await ask(question())]
    expect([made.length, queue.running, queue.waiting]).toEqual([1, 1, 3])
    await end(0, 'old')
    expect([await first.answer, made.length, queue.running, queue.waiting]).toEqual(['old', 2, 1, 0])
    const late = await ask(question())
    await end(1, 'new')
    expect(await Promise.all(waiting.map(({ answer }) => answer))).toEqual(['new', 'new', 'new'])
    await end(2, 'newest')
    expect([await late.answer, made.length, queue.running, queue.waiting]).toEqual(['newest', 3, 0, 0])
  })

  it.each([
    ['asks for something else', ['/list?limit=2', question()[1]]],
    ['has another session', ['/list?limit=1', { id: 'ann', since: new Date(1) }]],
    ['does not say what it asks', undefined],
  ])('is not for one that %s', async (_what, asked) => {
    const { made, ask, end } = createAnswers()
    const all = [await ask(question()), await ask(question()), await ask(asked)]
    for (const [index, answer] of ['first', 'same', 'other'].entries()) await end(index, answer)
    expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(['first', 'same', 'other'])
    expect(made).toHaveLength(3)
  })

  it('is not for two that do not say what they ask, nor for another sender', async () => {
    const { made, ask, end } = createAnswers()
    const own = [await ask(undefined), await ask(undefined), await ask(undefined)]
    const other = [await ask(question(), 'ben'), await ask(question(), 'ben')]
    await ask(question())
    for (const [index, answer] of ['a', 'ben 1', 'b', 'ben 2', 'c'].entries()) await end(index, answer)
    expect(await Promise.all(own.map(({ answer }) => answer))).toEqual(['a', 'b', 'c'])
    expect(await Promise.all(other.map(({ answer }) => answer))).toEqual(['ben 1', 'ben 2'])
    expect(made).toHaveLength(6)
  })

  it('fails for each that shares it, and is made anew for the next', async () => {
    const { queue, made, ask, end } = createAnswers()
    const first = await ask(question())
    const waiting = [await ask(question()), await ask(question())]
    await end(0, 'first')
    made[1]?.fail(new Error('lost'))
    const settled = await Promise.allSettled([first, ...waiting].map(({ answer }) => answer))
    const lost = { reason: { message: 'lost' } }
    expect(settled).toMatchObject([{ value: 'first' }, lost, lost])
    const next = await ask(question())
    await end(2, 'next')
    expect([await next.answer, queue.running, queue.waiting]).toEqual(['next', 0, 0])
  })

  it('takes none of the bounds away: who would share it needs a place to wait as well', async () => {
    const { queue, ask, end } = createAnswers()
    const all = [await ask(question()), await ask(question()), await ask(question()), await ask(question())]
    await expect((await ask(question())).answer).rejects.toMatchObject({ cause: 'too many are waiting', retryAfter: 1 })
    await end(0, 'old')
    await end(1, 'new')
    expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(['old', 'new', 'new', 'new'])
    expect([queue.running, queue.waiting, queue.refused]).toEqual([0, 0, 1])
  })
})
