import { expect, it } from 'vitest'
import { keptMb } from '../testing/kept-memory.ts'
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
  expect([limiter.isOpen('another'), limiter.isOpen('a key of the usual length, number 39999')]).toEqual([true, false])
})
