import { expect, it } from 'vitest'
import { cutIds, keptMb } from '../testing/kept-memory.ts'
import { createRecentMap } from './recent-map.ts'

it('keeps the values that were set last', () => {
  const recent = createRecentMap<number>({ capacity: 3 })
  for (let n = 0; n < 10; n += 1) for (const key of ['used', `${n}`]) recent.set(key, n)
  expect(recent.get('used')).toBe(9)
  const kept = Array.from({ length: 10 }, (_, n) => recent.get(`${n}`)).filter((value) => value !== undefined)
  expect(kept.length).toBeGreaterThanOrEqual(2)
  expect(kept.length).toBeLessThanOrEqual(5)
  expect(kept.at(-1)).toBe(9)
  recent.delete('used')
  expect(recent.get('used')).toBeUndefined()
})

it('forgets what was last set two turns ago', () => {
  let time = 0
  const recent = createRecentMap<string>({ capacity: 100, turn: { milliseconds: 1000, now: () => new Date(time) } })
  const at = (when: number, key: string) => {
    time = when
    recent.set(key, key)
    return ['one', 'two', 'three'].map((name) => recent.get(name) !== undefined)
  }
  expect(at(0, 'one')).toEqual([true, false, false])
  expect(at(999, 'two')).toEqual([true, true, false])
  expect(at(1000, 'two')).toEqual([true, true, false])
  expect(at(2000, 'three')).toEqual([false, true, true])
})

it('keeps its keys, and not the texts that they were cut out of', () => {
  const recent = createRecentMap<number>({ capacity: 5000 })
  const kept = keptMb(() => {
    for (const id of cutIds()) recent.set(id, 1)
  })
  expect(kept).toBeLessThan(4)
  expect(recent.get([...cutIds()][7] ?? '')).toBe(1)
})
