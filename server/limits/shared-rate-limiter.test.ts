import { describe, expect, it } from 'vitest'
import { keptMb } from '../testing/kept-memory.ts'
import { CentralCounter } from './central-counter.ts'
import type { CountWindow } from './memory-rate-limiter.ts'
import { createSharedRateLimiter } from './shared-rate-limiter.ts'

it('forgets the keys of the central counter when their windows have ended', () => {
  let time = 0
  const central = { count: () => Promise.reject(new Error('not asked')), refund: () => undefined }
  const limiter = createSharedRateLimiter({ now: () => time, limit: { max: 100, window: 10 }, workers: 2, central })
  const kept = keptMb(() => {
    for (let index = 0; index < 40_000; index += 1) limiter.take(`a key of the usual length, number ${index}`)
    time = 10_001
    limiter.take('another')
  })
  // All of them take 7 MB.
  expect(kept).toBeLessThan(2)
  limiter.open('counted here')
  const areOpen = () =>
    ['another', 'counted here', 'a key of the usual length, number 39999'].map((key) => limiter.isOpen(key))
  expect(areOpen()).toEqual([true, true, false])
  time += 10_000
  expect(areOpen()).toEqual([false, false, false])
})

it('asks the central counter about a full window four times a second at most', async () => {
  let [time, asked] = [0, 0]
  const count = async () => {
    asked += 1
    return { retryAfter: 10, endsAt: 10_000 }
  }
  const limit = { max: 1, window: 10 }
  const central = { count, refund: () => undefined }
  const limiter = createSharedRateLimiter({ now: () => time, limit, workers: 2, central })
  for (; time < 1000; time += 10) expect(await limiter.count('key')).toBe(10)
  expect(asked).toBe(4)
})

describe('the central counter', () => {
  /** Lets two uses through in ten seconds. */
  function createCounter(collected: readonly CountWindow[] = []) {
    const clock = { time: 0 }
    const asked: string[] = []
    const collect = async (key: string) => {
      asked.push(key)
      return collected
    }
    const counter = new CentralCounter({ now: () => clock.time, limit: { max: 2, window: 10 }, collect })
    const use = async (key = 'key') => (await counter.count(key)).retryAfter
    return { clock, asked, counter, use }
  }

  it('begins anew when a window has ended', async () => {
    const { clock, use } = createCounter()
    expect([await use(), await use(), await use()]).toEqual([null, null, 10])
    clock.time = 9999
    expect(await use()).toBe(1)
    clock.time = 10_000
    expect([await use(), await use(), await use()]).toEqual([null, null, 10])
  })

  it('adds what the workers have counted, until the first of their windows ends', async () => {
    const { use } = createCounter([
      { count: 1, endsAt: 9000 },
      { count: 1, endsAt: 4000 },
    ])
    expect(await use()).toBe(4)
  })

  it('asks for a wait of a second at least, also when a window ended while the workers were asked', async () => {
    const { use } = createCounter([{ count: 2, endsAt: 0 }])
    expect(await use()).toBe(1)
  })

  it('asks the workers once about a key, whatever else is asked about meanwhile', async () => {
    const { asked, use } = createCounter()
    await Promise.all(['one', 'other', 'one'].map(use))
    expect(asked).toEqual(['one', 'other'])
  })

  it('gives back no more than was used, and nothing of what it does not know', async () => {
    const { counter, use } = createCounter()
    await counter.refund('key')
    await use()
    for (let times = 0; times < 3; times += 1) await counter.refund('key')
    expect([await use(), await use(), await use()]).toEqual([null, null, 10])
  })

  it('forgets the oldest windows, and asks the workers again, when there are too many', async () => {
    const { asked, use } = createCounter()
    for (let index = 0; index < 50_001; index += 1) await use(`key ${index}`)
    await use('key 1')
    expect(asked).toHaveLength(50_001)
    await use('key 0')
    expect(asked).toHaveLength(50_002)
  })
})
