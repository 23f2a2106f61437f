import { expect, test } from 'vitest'
import type { AuditEventView } from '../../../shared/audit.ts'
import { machineAddress } from '../../../shared/email.ts'
import { plainPaint } from '../../output/colour.ts'
import { tabSeparated } from '../../output/out.ts'
import { table } from '../../output/table.ts'
import { displayWidth } from '../../output/width.ts'
import { actorSummary, detailsOf, eventColumns } from './events.ts'

const [machine, key] = ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c', '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a9e8d']
const event = (facts: Partial<AuditEventView>) =>
  ({
    actorId: null,
    actorEmail: null,
    actorName: null,
    impersonatorId: null,
    impersonatorEmail: null,
    keyId: null,
    keyName: null,
    userName: null,
    isServer: false,
    targetName: null,
    details: {},
    ...facts,
  }) as AuditEventView

test.each([
  ['a person', { actorId: 'u1', actorEmail: 'ann@example.com' }, 'ann@example.com'],
  ['their key', { actorId: 'u1', actorEmail: 'ann@example.com', keyId: key }, 'ann@example.com, key …3c0a9e8d'],
  [
    'their key by its name',
    { actorId: 'u1', actorEmail: 'ann@example.com', actorName: 'Ann', keyId: key, keyName: 'laptop' },
    'ann@example.com, key laptop',
  ],
  [
    'a machine by its name',
    { actorId: machine, actorEmail: machineAddress(machine), actorName: 'deploy', keyId: key, keyName: 'deploy' },
    'machine deploy',
  ],
  ['a machine', { actorId: machine, actorEmail: machineAddress(machine), keyId: key }, 'key …3c0a9e8d'],
  ['a machine that is no more', { actorId: machine, keyId: key }, 'key …3c0a9e8d'],
  ['the machine of a job', { actorId: machine, actorEmail: machineAddress(machine) }, 'machine …3c0a1b2c'],
  ['somebody who is no more', { actorId: 'u1' }, 'u1'],
  ['whom the reader may not see', { actorId: key }, '…3c0a9e8d'],
  ['a trusted server', { isServer: true }, 'the service key'],
  ['nobody', {}, '-'],
  [
    'an administrator as somebody else',
    { actorId: 'u1', actorEmail: 'ann@example.com', impersonatorId: 'u2', impersonatorEmail: 'ada@example.com' },
    'ann@example.com, IMPERSONATED by ada@example.com',
  ],
])('who did it: %s', (_, facts, told) => expect(actorSummary(event(facts))).toBe(told))

test('a detail that holds nothing is not told', () => {
  expect(detailsOf(event({ details: { role: 'admin', scopes: '', count: 0, reason: null } }))).toBe(
    'role=admin, count=0',
  )
})

test('what it was about is told by its name', () => {
  expect(detailsOf(event({ targetName: 'deploy', details: { role: 'admin' } }))).toBe('target=deploy, role=admin')
})

const now = Date.parse('2026-01-02T00:00:00Z')
const [ann, ada] = [
  { actorId: 'u1', actorEmail: 'ann@example.com' },
  { actorId: 'u2', actorEmail: 'ada@example.com' },
]
const asAnn = { ...ann, impersonatorId: 'u2', impersonatorEmail: 'ada@example.com' }
const row = (facts: Partial<AuditEventView>) =>
  event({
    id: machine,
    createdAt: new Date(now - 720_000),
    userId: 'u1',
    userEmail: 'ann@example.com',
    organizationId: key,
    target: null,
    ipAddress: '203.0.113.200',
    ...facts,
  })
const shown = (events: readonly AuditEventView[], width: number) =>
  table(events, eventColumns(events), { width, now, paint: plainPaint })

const banned = row({ ...ada, event: 'user-banned', details: { reason: 'Spam', seconds: 604_800 } })

test.each([160, 120, 100, 80, 60, 40])('at %i columns it is whole what was done, when and by whom', (width) => {
  const long = row({ ...asAnn, event: 'account-deletion-asked' })
  const lines = shown(
    [row({ ...ada, event: 'user-banned', details: { reason: 'Spam', seconds: 604_800 } }), long],
    width,
  )
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width)
  expect(lines[0]).toMatch(/^WHEN +EVENT +WHO/)
  expect(lines[1]).toMatch(/^12m +user-banned +ada@example\.com/)
  expect(lines.slice(2).join(' ')).toMatch(/IMPERSONATED +(\S+ +)?by .*ada@example\.com/)
  // As it stands on the page, each column read from above.
  const pieces = lines.slice(2).map((line) => line.slice(6).split(/ {2,}/)[0])
  expect(pieces.join('')).toMatch(/^account-deletion-asked/)
})

test('ids leave before anything else does, and addresses before what was done', () => {
  const heads = (width: number) => shown([banned], width)[0]?.split(/ {2,}/).slice(3)
  expect(heads(160)).toEqual(['ABOUT', 'DETAILS', 'ADDRESS', 'TARGET', 'ORGANIZATION', 'ID'])
  expect([heads(80), heads(60), heads(40)]).toEqual([['ABOUT', 'DETAILS'], ['ABOUT'], []])
})

test('an id gives way to the name that another event tells', () => {
  const lines = shown([row({ ...ada, event: 'one' }), row({ ...ada, actorEmail: null, event: 'two' })], 100)
  expect(lines.join('\n')).not.toContain('u2')
  expect(lines[2]).toMatch(/two +ada@example\.com/)
})

test('a program gets whole ids, whatever other events tell', () => {
  const unnamed = row({ actorId: machine, impersonatorId: key, userId: key, userEmail: null })
  const named = row({ actorId: machine, actorEmail: 'bob@example.com', userId: key, userEmail: 'eve@example.com' })
  const events = [unnamed, named]
  expect(tabSeparated(events, eventColumns(events))[0]?.split('\t').slice(2, 4)).toEqual([
    `${machine}, IMPERSONATED by ${key}`,
    key,
  ])
})
