import { expect, it } from 'vitest'
import { cutIds, keptMb } from '../../testing/kept-memory.ts'
import { createRevocations } from './revocations.ts'

const now = () => new Date(0)
const ids = [...cutIds()].map((id) => Buffer.from(id).toString())

it('keep the ids of ended sessions, and not the rows that they were cut out of', () => {
  const revocations = createRevocations({ COOKIE_CACHE: true, COOKIE_CACHE_MAX_AGE: 60 }, now)
  const kept = keptMb(() => {
    for (const id of cutIds()) revocations.add([id])
  })
  expect(kept).toBeLessThan(4)
  expect(ids.every((id) => revocations.has(id))).toBe(true)
})

it('refuse a copy for as long as it lives by a clock that is a minute ahead', () => {
  let time = 0
  const revocations = createRevocations({ COOKIE_CACHE: true, COOKIE_CACHE_MAX_AGE: 60 }, () => new Date(time))
  revocations.add(['ended'])
  time = 119_999
  expect(revocations.has('ended')).toBe(true)
  time = 120_000
  expect(revocations.has('ended')).toBe(false)
})

it('keep nothing where no client keeps a copy of its session', () => {
  const revocations = createRevocations({ COOKIE_CACHE: false, COOKIE_CACHE_MAX_AGE: 60 }, now)
  revocations.add(ids)
  expect(ids.some((id) => revocations.has(id))).toBe(false)
})
