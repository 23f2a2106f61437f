import { expect, it } from 'vitest'
import { steadyNow } from './steady-now.ts'

it('an hour from now is an hour away, not a second more', () => {
  for (let times = 0; times < 1000; times += 1) {
    const now = steadyNow()
    expect(Math.ceil((now + 3_600_000 - now) / 1000)).toBe(3600)
  }
})
