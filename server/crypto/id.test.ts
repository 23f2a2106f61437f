import { validate, version } from 'uuid'
import { describe, expect, it } from 'vitest'
import { newId } from './id.ts'

// More than are made of the random bytes asked for at once.
const ids = Array.from({ length: 2000 }, newId)
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

describe('a new id', () => {
  it('is a UUID of version 7, of this moment', () => {
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
    const before = Date.now()
    const made = timeOf(newId())
    expect(made).toBeGreaterThanOrEqual(before)
    expect(made).toBeLessThanOrEqual(Date.now())
  })

  it('comes after the one before, within a millisecond too', () => {
    expect(new Set(ids.map(timeOf)).size).toBeLessThan(ids.length)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('shares its random bytes with no other', () => {
    expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length)
  })
})
