import { describe, expect, test } from 'vitest'
import type { AuditEventView } from '../../../shared/audit.ts'
import type { Session, SessionView } from '../../../shared/entities.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { FullOrganization } from '../../../shared/organization.ts'
import type { ShownError } from '../text/shown-error.ts'
import {
  allClearLine,
  type HomeAnswers,
  isSameNetwork,
  latestActivity,
  missingPartLines,
  noticesOf,
} from './notices.ts'
import type { HomeParts } from './parts.ts'
import { organizationSummary } from './parts.ts'

const now = Date.parse('2026-05-10T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000)
const since = minutesAgo(60)

const session = (id: string, more: Partial<Session> = {}): Session =>
  ({
    id,
    createdAt: minutesAgo(10),
    ipAddress: '10.0.0.7',
    userAgent: 'postern/1 (linux)',
    activeOrganizationId: null,
    activeTeamId: null,
    impersonatedBy: null,
    addressProven: true,
    ...more,
  }) as Session
const here = session('here', { createdAt: minutesAgo(600) })
const me = {
  session: here,
  user: { id: 'u', email: 'ada@example.com', name: 'Ada', emailVerified: true },
} as SessionView

const nothing: HomeParts = {
  invitations: [],
  sessions: [here],
  keys: [],
  events: { events: [], cut: [] },
  recent: { events: [], isWhole: true },
  place: null,
}
const answersOf = (parts: Partial<HomeParts>): HomeAnswers =>
  Object.fromEntries(
    Object.entries({ ...nothing, ...parts }).map(([name, data]) => [name, { data, shownError: undefined }]),
  ) as unknown as HomeAnswers
const viewOf = (parts: Partial<HomeParts>, who = me) => ({ me: who, answers: answersOf(parts), since, now })
const labelsOf = (parts: Partial<HomeParts>): readonly string[] => noticesOf(viewOf(parts)).map(({ label }) => label)
const eventsOf = (events: readonly AuditEventView[], cut: readonly string[] = []) => ({ events: { events, cut } })
const event = (name: string, more: Partial<AuditEventView> = {}): AuditEventView =>
  ({
    event: name,
    lastAt: minutesAgo(5),
    count: 1,
    ipAddress: '10.9.9.9',
    userAgent: 'Firefox',
    ...more,
  }) as AuditEventView
const failed: ShownError = { sentence: 'Nothing listens', hint: undefined, status: undefined, details: [] }

test('where nothing waits one calm line says so, and only after all was asked', () => {
  expect(noticesOf(viewOf({}))).toEqual([])
  expect(allClearLine(viewOf({}))).toMatch(/^Nothing waits for you/)
  const answers = { ...answersOf({}), events: { data: undefined, shownError: undefined } }
  expect(allClearLine({ ...viewOf({}), answers })).toBeUndefined()
  expect(
    allClearLine({ ...viewOf({}), answers: { ...answers, events: { data: undefined, shownError: failed } } }),
  ).toBe(undefined)
})

describe('sessions', () => {
  test.each([
    ['on another device', { userAgent: 'Firefox' }, 1],
    ['in another network', { ipAddress: '192.0.2.7' }, 1],
    ['from an unknown address', { ipAddress: null }, 1],
    ['elsewhere, but seen at the last visit', { userAgent: 'Firefox', createdAt: since }, 0],
    ['from here', { ipAddress: '10.0.0.200' }, 0],
  ] as const)('one %s', (_, more, count) => {
    expect(labelsOf({ sessions: [here, session('other', more)] })).toHaveLength(count)
  })

  test('several are one notice', () => {
    const others = ['a', 'b'].map((id) => session(id, { userAgent: id }))
    const [notice] = noticesOf(viewOf({ sessions: [here, ...others] }))
    expect(notice).toMatchObject({ label: '2 new sessions elsewhere', hint: 'a, 10.0.0.7, 10 minutes ago' })
  })
})

test('what another person did is news from this machine, too', () => {
  const { ipAddress, userAgent } = here
  const at = { ipAddress, userAgent }
  const events = [
    event('user-banned', { ...at, actorId: 'admin' }),
    event('password-changed', { ...at, actorId: 'u', impersonatorId: 'admin' }),
    event('account-linked', { ...at, actorId: 'u' }),
    event('sign-in-failed', { ...at, actorId: null }),
  ]
  expect(labelsOf(eventsOf(events))).toEqual(['1 change of the password', '1 ban by an administrator'])
})

test('a kind of event of which there are more is told so', () => {
  const events = [event('sign-in-failed', { count: 100 }), event('password-changed')]
  expect(labelsOf(eventsOf(events, ['sign-in-failed']))).toEqual([
    '100 or more failed sign-ins',
    '1 change of the password',
  ])
})

test('security events are counted by kind; what was seen or done here is no news', () => {
  const events = [
    event('sign-in-failed'),
    event('sign-in-failed', { lastAt: minutesAgo(50), count: 3 }),
    event('sign-in-failed', { lastAt: since }),
    event('password-changed', { ipAddress: here.ipAddress, userAgent: here.userAgent }),
    event('account-linked'),
  ]
  expect(labelsOf(eventsOf(events))).toEqual(['4 failed sign-ins', '1 new linked account'])
  expect(noticesOf(viewOf(eventsOf(events)))[0]?.hint).toBe('5 minutes ago, from 10.9.9.9, by Firefox')
})

test('keys that end soon are named, the soonest first, and no more than three', () => {
  const key = (name: string, days: number): MachineKey =>
    ({ id: name, name, organizationId: null, role: null, expiresAt: new Date(now + days * 86_400_000) }) as MachineKey
  expect(labelsOf({ keys: [key('late', 40), key('b', 9), key('a', 2), key('over', -1)] })).toEqual([
    'Key a expires',
    'Key b expires',
  ])
  const many = noticesOf(viewOf({ keys: [1, 2, 3, 4, 5].map((days) => key(`k${days}`, days)) }))
  expect(many.at(-1)?.hint).toContain('and 2 more end soon')
})

test('an unverified address waits, and says where it hides invitations', () => {
  const who = { ...me, user: { ...me.user, emailVerified: false } }
  expect(noticesOf(viewOf({}, who))).toMatchObject([{ kind: 'address', hint: 'ada@example.com' }])
  const refused = { ...failed, details: [['Code', 'EMAIL_VERIFICATION_REQUIRED_BEFORE']] as const }
  const answers = { ...answersOf({}), invitations: { data: undefined, shownError: refused } }
  expect(noticesOf({ ...viewOf({}, who), answers })).toMatchObject([{ kind: 'address', hidesInvitations: true }])
  const impersonated = { ...who, session: { ...who.session, impersonatedBy: 'admin' } }
  expect(noticesOf(viewOf({}, impersonated))).toEqual([])
  expect(missingPartLines(answers)).toEqual([])
})

test('what nobody answered is said, each reason once', () => {
  const none = { data: undefined, shownError: failed }
  expect(missingPartLines({ ...answersOf({}), sessions: none, keys: none })).toEqual([
    'Could not load your sessions, keys: Nothing listens',
  ])
})

test('a visit is noted by the newest that was shown, and not before all of it was', () => {
  const other = session('other', { createdAt: minutesAgo(3) })
  expect(latestActivity(viewOf({ sessions: [other], ...eventsOf([event('account-linked')]) }))).toEqual(other.createdAt)
  expect(latestActivity(viewOf({}))).toEqual(since)
  const answers = { ...answersOf({}), sessions: { data: undefined, shownError: failed } }
  expect(latestActivity({ ...viewOf({}), answers })).toBeUndefined()
})

test.each([
  ['10.0.0.1', '10.0.0.200', true],
  ['10.0.0.1', '10.0.1.1', false],
  ['2001:db8::1', '2001:db8:0:0:5::9', true],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::6', true],
  ['2001:db8:1:2::6', '2001:db8:1:3::6', false],
  ['::1', '::1', true],
  ['::1', '127.0.0.1', false],
])('%s and %s are of one network: %s', (one, other, isSame) => {
  expect(isSameNetwork(one, other)).toBe(isSame)
})

test('counts of a long organization are grouped, and say that there may be more', () => {
  const place = {
    members: Array.from({ length: 5000 }, (_, index) => ({ userId: index === 0 ? 'u' : `${index}`, role: ['owner'] })),
    invitations: [],
    teams: [{}, {}],
    incomplete: ['members'],
  } as unknown as FullOrganization
  expect(organizationSummary(place, me)).toBe('as owner, 5,000+ members, 0 invitations, 2 teams')
})
