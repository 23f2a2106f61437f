import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Poller, type PollerOptions } from './use-polling.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The first `refused` polls find the user waiting for an action. */
function start({ isOffline = () => false, random = () => 0 }: Partial<PollerOptions> = {}, refused = 0) {
  const asked: number[] = []
  const begun = Date.now()
  const poller = new Poller({ poll: async () => asked.push(Date.now() - begun) > refused, isOffline, random })
  poller.start()
  return { poller, asked }
}
const seconds = (count: number) => vi.advanceTimersByTimeAsync(1000 * count)

test.each([
  [0, 10],
  [1, 30],
])('with %d of the jitter, it asks every %d seconds', async (share, every) => {
  const { asked, poller } = start({ random: () => share })
  await seconds(3 * every)
  expect(asked).toEqual([1, 2, 3].map((count) => 1000 * count * every))
  poller.stop()
})

test('without an answer it asks soon, and then ever more seldom', async () => {
  let isOffline = true
  const { asked, poller } = start({ isOffline: () => isOffline })
  await seconds(90)
  expect(asked).toEqual([2, 6, 14, 30, 60, 90].map((second) => 1000 * second))
  poller.lost()
  await seconds(2)
  expect(asked.at(-1)).toBe(92_000)
  isOffline = false
  poller.soon()
  await seconds(1)
  isOffline = true
  poller.lost()
  await seconds(2)
  expect(asked.slice(-2)).toEqual([93_000, 95_000])
  poller.stop()
})

test('the poll that finds an outage is none without an answer: the next one comes as soon as after any', async () => {
  let isOffline = false
  const asked: number[] = []
  const begun = Date.now()
  const poll = async () => {
    isOffline = asked.push(Date.now() - begun) > 1
    if (asked.length === 2) poller.lost()
    return true
  }
  const poller = new Poller({ poll, isOffline: () => isOffline, random: () => 0 })
  poller.start()
  await seconds(40)
  expect(asked).toEqual([10, 20, 22, 26, 34].map((second) => 1000 * second))
  poller.stop()
})

test('it does not ask while nobody looks, and at once when somebody does again', async () => {
  const { asked, poller } = start()
  await seconds(1)
  poller.watched(false)
  await seconds(600)
  expect(asked).toEqual([])
  poller.watched(true)
  await seconds(0)
  expect(asked).toEqual([601_000])
  await seconds(10)
  expect(asked).toEqual([601_000, 611_000])
  poller.stop()
})

test('it asks soon where somebody else was answered again, and then as always', async () => {
  let isOffline = true
  const { asked, poller } = start({ isOffline: () => isOffline })
  await seconds(20)
  isOffline = false
  poller.soon()
  await seconds(11)
  expect(asked.slice(-2)).toEqual([21_000, 31_000])
  const count = asked.length
  poller.watched(false)
  poller.soon()
  await seconds(600)
  expect(asked).toHaveLength(count)
  poller.stop()
})

test('it asks soon again where somebody else was just asking', async () => {
  const { asked, poller } = start({}, 2)
  await seconds(22)
  expect(asked).toEqual([10_000, 11_000, 12_000, 22_000])
  poller.stop()
})

test('looking away for a moment asks nothing', async () => {
  const { asked, poller } = start()
  for (let count = 0; count < 20; count += 1) {
    poller.watched(false)
    poller.watched(true)
  }
  await seconds(4)
  expect(asked).toEqual([])
  poller.stop()
})

test('one question at a time, however long its answer takes', async () => {
  let answer = (_hasAsked: boolean) => {}
  const poll = vi.fn<() => Promise<boolean>>(() => new Promise((resolve) => void (answer = resolve)))
  const poller = new Poller({ poll, isOffline: () => false, random: () => 0 })
  poller.start()
  await seconds(10)
  poller.watched(false)
  poller.watched(true)
  await seconds(300)
  expect(poll).toHaveBeenCalledTimes(1)
  answer(true)
  await seconds(10)
  expect(poll).toHaveBeenCalledTimes(2)
  poller.stop()
})

test('stopped, it leaves no timer behind, even where an answer is still to come', async () => {
  let answer = (_hasAsked: boolean) => {}
  const poller = new Poller({ poll: () => new Promise((resolve) => void (answer = resolve)), isOffline: () => false })
  poller.start()
  await seconds(30)
  poller.stop()
  answer(true)
  await seconds(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('ten minutes of asking hold one timer at a time', async () => {
  const { asked, poller } = start()
  for (let count = 0; count < 60; count += 1) {
    await seconds(10)
    expect(vi.getTimerCount()).toBe(1)
  }
  expect(asked).toHaveLength(60)
  poller.stop()
})
