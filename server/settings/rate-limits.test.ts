import { describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import type { RateLimitSettings } from './rate-limits.ts'

const limitsOf = (given?: unknown) => parseConfig({}, { RATE_LIMITS: given as RateLimitSettings }).RATE_LIMITS

describe('a config file', () => {
  it('changes what it names, and leaves the rest', () => {
    const changed = limitsOf({ passwordCalls: { max: 20 }, mailsInAll: { window: '1d' }, visits: { window: 60 } })
    expect(changed).toEqual({
      ...limitsOf(),
      passwordCalls: { max: 20, window: 10 },
      mailsInAll: { max: 5000, window: 86_400 },
      visits: { max: 5000, window: 60 },
    })
  })

  it.each([
    [{ signIns: { max: 1 } }, /RATE_LIMITS sets signIns: expected calls, visits, /],
    [{ calls: { maximum: 1 } }, /RATE_LIMITS\.calls sets maximum: expected max, window/],
    [{ calls: { max: 0 } }, /RATE_LIMITS\.calls\.max: expected at least 1/],
    [{ calls: { max: 1.5 } }, /RATE_LIMITS\.calls\.max: expected a whole number/],
    [{ calls: { max: null } }, /RATE_LIMITS\.calls\.max: expected a whole number/],
    [{ calls: { max: [3] } }, /RATE_LIMITS\.calls\.max: expected a whole number/],
    [{ calls: { window: 'soon' } }, /RATE_LIMITS\.calls\.window: expected a duration in seconds/],
    [{ calls: { window: '2000d' } }, /RATE_LIMITS\.calls\.window: expected at most/],
    [{ calls: 100 }, /RATE_LIMITS\.calls: expected object/],
    ['none', /RATE_LIMITS: expected object/],
  ])('that holds something else stops the start: %j', (given, message) => {
    expect(() => limitsOf(given)).toThrow(message)
  })
})
