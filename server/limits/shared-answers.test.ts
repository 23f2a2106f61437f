import { expect, it } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { FairQueue } from './fair-queue.ts'
import { SharedAnswers } from './shared-answers.ts'

const settle = () => new Promise(setImmediate)

/** One answer of a sender is made at a time, and the test ends it. */
function createAnswers() {
  const busy = (reason: string) => new Failure('SERVICE_UNAVAILABLE', { cause: reason, retryAfter: 1 })
  const queue = new FairQueue({ running: 2, runningEach: 1, waiting: 9, waitingEach: 2, timeout: 60_000, busy })
  const shared = new SharedAnswers<string>(queue)
  const made: { readonly end: (answer: string) => void; readonly fail: (error: unknown) => void }[] = []
  const make = () => new Promise<string>((resolve, reject) => made.push({ end: resolve, fail: reject }))
  return {
    queue,
    made,
    ask: (question: unknown, sender = 'ann') => shared.ask(question, sender, make),
    /** Ends the latest answer that is being made. */
    end: async (answer: string) => {
      made.at(-1)?.end(answer)
      await settle()
    },
  }
}

const question = () => ({ path: '/list', caller: { id: 'ann', since: new Date(0) }, query: { limit: '1' } })

it('makes one answer for all that ask the same and wait, and none of them gets one that was begun before', async () => {
  const { made, ask, end, queue } = createAnswers()
  const first = ask(question())
  await settle()
  const waiting = [ask(question()), ask(question()), ask(question())]
  await settle()
  expect([made.length, queue.running, queue.waiting]).toEqual([1, 1, 1])
  await end('old')
  expect([await first, made.length]).toEqual(['old', 2])
  const late = ask(question())
  await end('new')
  expect(await Promise.all(waiting)).toEqual(['new', 'new', 'new'])
  await end('newest')
  expect([await late, made.length, queue.running, queue.waiting]).toEqual(['newest', 3, 0, 0])
})

it.each([
  ['another path', { path: '/others' }],
  ['another query', { query: { limit: '2' } }],
  ['another session', { caller: { id: 'ann', since: new Date(1) } }],
])('gives %s an answer of its own', async (_what, part) => {
  const { made, ask, end } = createAnswers()
  const first = ask(question())
  await settle()
  const [same, other] = [ask(question()), ask({ ...question(), ...part })]
  for (const answer of ['first', 'same', 'other']) await end(answer)
  expect([await first, await same, await other, made.length]).toEqual(['first', 'same', 'other', 3])
})

it('never gives one sender the answer of another', async () => {
  const { made, ask, end } = createAnswers()
  const running = [ask(question()), ask(question(), 'ben')]
  await settle()
  const waiting = [ask(question()), ask(question(), 'ben')]
  made[0]?.end('running of ann')
  await settle()
  made[2]?.end('of ann')
  await settle()
  made[1]?.end('running of ben')
  await settle()
  await end('of ben')
  expect(await Promise.all([...running, ...waiting])).toEqual(['running of ann', 'running of ben', 'of ann', 'of ben'])
})

it('fails for each that shares it, and is made anew for the next', async () => {
  const { made, ask, end } = createAnswers()
  const first = ask(question())
  await settle()
  const waiting = [ask(question()), ask(question())]
  await end('first')
  made.at(-1)?.fail(new Error('lost'))
  expect(await Promise.allSettled([first, ...waiting])).toMatchObject([
    { value: 'first' },
    { reason: { message: 'lost' } },
    { reason: { message: 'lost' } },
  ])
  const next = ask(question())
  await settle()
  await end('next')
  expect(await next).toBe('next')
})

it('refuses the question that finds no place, and remembers nothing of it', async () => {
  const { made, ask, end, queue } = createAnswers()
  const running = ask(0)
  await settle()
  const waiting = [ask(1), ask(2)]
  await expect(ask(3)).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
  expect(queue.refused).toBe(1)
  for (const answer of ['0', '1', '2']) await end(answer)
  expect(await Promise.all([running, ...waiting])).toEqual(['0', '1', '2'])
  const again = ask(3)
  await settle()
  await end('3')
  expect([await again, made.length]).toEqual(['3', 4])
})
