import { expect, test } from 'vitest'
import type { FullOrganization } from '../../../shared/organization.ts'
import { eventsByDay, recentDays, recentLines, recentSummary, sparkline, waitingInvitations } from './recent.ts'

const now = Date.parse('2026-05-15T12:00:00Z')
const ago = (hours: number, count = 1) => ({ lastAt: new Date(now - hours * 3_600_000), count })

test('events are counted by day, the last day at the end, and a little more than nothing is seen', () => {
  const recent = { events: [ago(-1), ago(1, 3), ago(25), ago(13 * 24 + 1, 8), ago(15 * 24)], isWhole: true }
  const counts = eventsByDay(recent, now)
  expect(counts).toEqual([8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4])
  expect(counts).toHaveLength(recentDays)
  expect(sparkline(counts)).toBe('█▁▁▁▁▁▁▁▁▁▁▁▂▅')
  expect(recentSummary(recent, now)).toBe('13 events in 14 days')
})

test('an answer that ends early says so, and no event is a flat line', () => {
  expect(recentSummary({ events: [ago(1)], isWhole: false }, now)).toBe('1 or more events in 14 days')
  expect(sparkline(eventsByDay({ events: [], isWhole: true }, now))).toBe('▁'.repeat(recentDays))
})

test.each([
  [0, []],
  [1, ['Members of Acme: 1 not seen for 30 days']],
  [4321, ['Members of Acme: 4,321 not seen for 30 days']],
])('%i members who were not seen are a line of their own, none is no line', (unseen, lines) => {
  const place = { name: 'Acme', invitations: [] } as unknown as FullOrganization
  expect(recentLines({ recent: undefined, place, unseen }, now)).toEqual(lines)
})

test('of invitations that an answer holds only in part nobody says how many they are, or which ends first', () => {
  const waiting = { status: 'pending', expiresAt: new Date(Date.now() + 3_600_000) }
  const place = { invitations: [waiting, waiting] } as unknown as FullOrganization
  expect(waitingInvitations(place, Date.now())).toBe('2 wait for an answer, the first ends in 1 hour')
  expect(waitingInvitations({ ...place, incomplete: ['invitations'] }, Date.now())).toBe('2+ wait for an answer')
})
