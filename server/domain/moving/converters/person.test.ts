import { afterEach, expect, it, vi } from 'vitest'
import { momentOf, recordsOf } from './person.ts'

afterEach(() => vi.unstubAllEnvs())

it.each<[given: unknown, moment: string | null]>([
  ['2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05.678Z'],
  ['2024-01-02 03:04:05.6+00', '2024-01-02T03:04:05.600Z'],
  ['2024-01-02 03:04:05.678901+02', '2024-01-02T01:04:05.678Z'],
  ['2024-01-02T03:04:05-0430', '2024-01-02T07:34:05.000Z'],
  ['2024-01-02T03:04:05+05:45', '2024-01-01T21:19:05.000Z'],
  ['2024-01-02 03:04:05 UTC', '2024-01-02T03:04:05.000Z'],
  ['2024-01-02 03:04:05.678 +0000 UTC', '2024-01-02T03:04:05.678Z'],
  ['2024-01-02 03:04:05', '2024-01-02T03:04:05.000Z'],
  ['2024-01-02T03:04', '2024-01-02T03:04:00.000Z'],
  ['2024-01-02', '2024-01-02T00:00:00.000Z'],
  [1_704_164_645_678, '2024-01-02T03:04:05.678Z'],
  ['1704164645678', '2024-01-02T03:04:05.678Z'],
  [1_704_164_645, '2024-01-02T03:04:05.000Z'],
  ['1704164645', '2024-01-02T03:04:05.000Z'],
  ['Jan 2 2024', null],
  ['01/02/2024', null],
  ['infinity', null],
  ['', null],
  [undefined, null],
])('the moment %s is %s, wherever it is read', (given, moment) => {
  for (const zone of ['America/New_York', 'Asia/Kolkata']) {
    vi.stubEnv('TZ', zone)
    expect(momentOf(given)).toBe(moment)
  }
})

it('a user comes without a moment that cannot be read, and that is told', () => {
  const person = { id: 'ann', email: 'ann@example.com', emailVerified: false }
  const [read] = recordsOf({ ...person, createdAt: '2024-01-02', updatedAt: null }, [])
  expect(read).toMatchObject({ altered: [], record: { createdAt: '2024-01-02T00:00:00.000Z' } })
  const [unread] = recordsOf({ ...person, createdAt: 'yesterday', updatedAt: 'today' }, [])
  expect(unread).toMatchObject({ altered: ['createdAt', 'updatedAt'], record: { id: 'ann' } })
})
