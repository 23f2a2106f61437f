import { expect, it } from 'vitest'
import { cutIds, keptMb } from '../../testing/kept-memory.ts'
import { createRevocations } from './revocations.ts'

const settings = { COOKIE_CACHE: true, COOKIE_CACHE_MAX_AGE: 60 }
const now = () => new Date(0)
const steadyNow = () => 0
const ids = [...cutIds()].map((id) => Buffer.from(id).toString())

it('keep the ids of ended sessions, and not the rows that they were cut out of', () => {
  const revocations = createRevocations(settings, now, steadyNow)
  const kept = keptMb(() => {
    for (const id of cutIds()) revocations.add([id])
  })
  expect(kept).toBeLessThan(4)
  expect(ids.every((id) => revocations.has(id))).toBe(true)
})

/** Revocations with one entry, and their two clocks. */
function oneEnded() {
  const clocks = { time: 0, steady: 0 }
  const revocations = createRevocations(
    settings,
    () => new Date(clocks.time),
    () => clocks.steady,
  )
  revocations.add(['ended'])
  const isRefusedAt = (time: number, steady = time) => {
    Object.assign(clocks, { time, steady })
    return revocations.all().includes('ended') && revocations.has('ended')
  }
  return { isRefusedAt }
}

it('refuse a copy for as long as it lives by a clock that is a minute ahead', () => {
  const { isRefusedAt } = oneEnded()
  expect([isRefusedAt(119_999), isRefusedAt(120_000)]).toEqual([true, false])
})

it('refuse it still after the time of day jumped ahead and back', () => {
  const { isRefusedAt } = oneEnded()
  expect([isRefusedAt(600_000, 1000), isRefusedAt(2000)]).toEqual([true, true])
})

it('refuse it until the time of day has caught up with the moment from which it was set back', () => {
  const { isRefusedAt } = oneEnded()
  expect([isRefusedAt(-600_000, 2000), isRefusedAt(30_000, 632_000)]).toEqual([true, true])
})

it('keep nothing where no client keeps a copy of its session', () => {
  const revocations = createRevocations({ ...settings, COOKIE_CACHE: false }, now, steadyNow)
  revocations.add(ids)
  expect(ids.some((id) => revocations.has(id))).toBe(false)
})
