import { expect, test } from 'vitest'
import { momentProblem, parseDate, parseMoment } from './moment.ts'

test.each([
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-12-31T12:00:00Z', '2026-12-31T12:00:00.000Z'],
  ['2026-12-31T23:00:00-05:00', '2027-01-01T04:00:00.000Z'],
  ['2026-02-29', undefined],
  ['2026-02-30T12:00:00Z', undefined],
  ['2026-04-31T01:00:00+02:00', undefined],
  ['2026-13-01', undefined],
  ['2026-12-31T25:00:00Z', undefined],
])('%s is the moment %s', (text, moment) => {
  expect(parseDate(text)?.toISOString()).toBe(moment)
})

test('how long ago needs its unit', () => {
  expect(parseMoment('30d', 2_592_000_000)?.getTime()).toBe(0)
  expect(momentProblem('30d', '--not-seen')).toBeUndefined()
  expect(momentProblem('30', '--not-seen')).toContain('how long ago, like 7d')
})
