import { describe, expect, test } from 'vitest'
import { ownTrail } from './account/activity.ts'
import { pagedUsers } from './admin/list.ts'
import { serviceTrail } from './audit/list.ts'
import { pagedMails } from './mail/mails.ts'
import { narrowingOf, type Paged, pagedCommand } from './paged.ts'

const trail = serviceTrail()

describe.each([
  ['event:sign-in since:7d', { event: 'sign-in', since: '7d' }, ''],
  ['ev:key act:ann@example.com bob', { event: 'key', actor: 'ann@example.com' }, 'bob'],
  ['UNTIL:2026-01-31 who:bob', { until: '2026-01-31' }, 'who:bob'],
  ['event:', {}, ''],
  ['2001:db8::1', {}, '2001:db8::1'],
])('the filter %s of a trail', (text, values, rest) => {
  test('is split into what the service does and what is left', () =>
    expect(narrowingOf(trail, text)).toEqual({ values, rest, unasked: rest, problem: undefined }))
})

test.each<[string, Omit<Paged<unknown>, 'ask'>, string | RegExp]>([
  ['event:sing-in', trail, 'event: unknown event sing-in. Did you mean sign-in?'],
  ['since:yesterday', trail, /^since must be a date like/],
  ['state:p', pagedMails, 'state is waiting, failing, parked, held or unsent'],
  ['banned:true', pagedUsers, 'banned is yes or no'],
  ['role:admin banned:yes', pagedUsers, 'role and banned cannot be combined: leave one of them out'],
])('%s is not asked of the service, which would refuse it', (text, paged, problem) => {
  const { values, problem: told } = narrowingOf(paged, text)
  expect([values, told]).toEqual([{}, expect.stringMatching(problem)])
})

test('a trail of one person is not filtered by another', () => {
  const theirs = serviceTrail({ id: 'ann', email: 'ann@example.com' })
  expect(narrowingOf(theirs, 'user:bob@example.com').values).toEqual({})
  expect(narrowingOf(ownTrail, 'actor:bob@example.com').values).toEqual({})
})

test.each([
  ['ann', 'postern admin user list --search ann --field any --sort -createdAt'],
  ['role:admin', 'postern admin user list --role admin --sort -createdAt'],
  ['banned:yes', 'postern admin user list --banned --sort -createdAt'],
  ['role:admin banned:no', 'postern admin user list --role admin --sort -createdAt'],
  ['name:ada ann', 'postern admin user list --search ann --field any --sort -createdAt'],
  ['name:ada', 'postern admin user list --sort -createdAt'],
])('the command for users with %s asks for the same', (text, command) =>
  expect(pagedCommand(pagedUsers, narrowingOf(pagedUsers, text).values)).toBe(command),
)

test('the command for a trail names the filter and whose it is', () => {
  const theirs = serviceTrail({ id: 'ann', email: 'ann@example.com' })
  expect(pagedCommand(theirs, narrowingOf(theirs, 'event:sign-in since:7d').values)).toBe(
    'postern admin audit list --event sign-in --since 7d --user ann@example.com',
  )
})
