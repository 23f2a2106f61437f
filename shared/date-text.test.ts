import { expect, it } from 'vitest'
import { dateText } from './date-text.ts'

const [least, most] = [-8.64e15, 8.64e15]
const edges = [0, -1, 999, 1000, 59_999, 60_000, 3_599_999, 86_399_999, 86_400_000, -86_400_001, least, most]
const times = [
  ...edges,
  ...Array.from({ length: 5000 }, (_, index) => Date.UTC(2026, 0, 1) + index * 7_654_321),
  ...Array.from({ length: 5000 }, () => Math.trunc(Math.random() * most) * (Math.random() < 0.5 ? 1 : -1)),
]

it('is what a date says itself, on any day and in any year', () => {
  const own = (time: number) => new Date(time).toISOString()
  expect(times.filter((time) => dateText(new Date(time)) !== own(time))).toEqual([])
})

it('refuses what is no date, as a date does', () => {
  expect(() => dateText(new Date(Number.NaN))).toThrow(RangeError)
})
