import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { runAfterHook, runBeforeHook } from './hooks.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const user = {
  id: '1',
  email: 'ann@example.com',
  name: 'Ann',
  image: null,
  emailVerified: false,
  createdAt: new Date(),
  updatedAt: new Date(),
}
const never = (_user: typeof user) => new Promise<never>(() => undefined)
/** What it came to; waited for only after the time has passed. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  )

it('a function that never ends keeps what it was asked about from being done, after five seconds', async () => {
  const asked = outcomeOf(runBeforeHook(never, user))
  await vi.advanceTimersByTimeAsync(5000)
  expect(await asked).toContain('5000 ms')
})

it('one that is asked afterwards is waited for no longer than that; the log is told, and nothing fails', async () => {
  const told: unknown[] = []
  const deps = { log: { error: (line: unknown) => told.push(line) } } as unknown as Deps
  const asked = runAfterHook(deps, never, user)
  await vi.advanceTimersByTimeAsync(4999)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await asked
  expect(told).toHaveLength(1)
})

it('one that rejects when nobody waits any more ends nothing', async () => {
  let reject: (error: Error) => void = () => undefined
  const late = (_user: typeof user) => new Promise<never>((_resolve, refuse) => (reject = refuse))
  const asked = outcomeOf(runBeforeHook(late, user))
  await vi.advanceTimersByTimeAsync(5000)
  expect(await asked).toContain('5000 ms')
  reject(new Error('late'))
  await vi.advanceTimersByTimeAsync(1)
})
