import { expect, test } from 'vitest'
import type { AuditEventView } from '../../../shared/audit.ts'
import { machineAddress } from '../../../shared/email.ts'
import { actorOf, detailsOf } from './events.ts'

const [machine, key] = ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c', '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a9e8d']
const event = (facts: Partial<AuditEventView>) =>
  ({
    actorId: null,
    actorEmail: null,
    impersonatorId: null,
    impersonatorEmail: null,
    keyId: null,
    isServer: false,
    targetName: null,
    details: {},
    ...facts,
  }) as AuditEventView

test.each([
  ['a person', { actorId: 'u1', actorEmail: 'ann@example.com' }, 'ann@example.com'],
  ['their key', { actorId: 'u1', actorEmail: 'ann@example.com', keyId: key }, 'ann@example.com, key …3c0a9e8d'],
  ['a machine', { actorId: machine, actorEmail: machineAddress(machine), keyId: key }, 'key …3c0a9e8d'],
  ['a machine that is no more', { actorId: machine, keyId: key }, 'key …3c0a9e8d'],
  ['the machine of a job', { actorId: machine, actorEmail: machineAddress(machine) }, 'machine …3c0a1b2c'],
  ['somebody who is no more', { actorId: 'u1' }, 'u1'],
  ['a trusted server', { isServer: true }, 'the service key'],
  ['nobody', {}, '-'],
  [
    'an administrator as somebody else',
    { actorId: 'u1', actorEmail: 'ann@example.com', impersonatorId: 'u2', impersonatorEmail: 'ada@example.com' },
    'ann@example.com, IMPERSONATED by ada@example.com',
  ],
])('who did it: %s', (_, facts, told) => expect(actorOf(event(facts))).toBe(told))

test('a detail that holds nothing is not told', () => {
  expect(detailsOf(event({ details: { role: 'admin', scopes: '', count: 0, reason: null } }))).toBe(
    'role=admin, count=0',
  )
})

test('what it was about is told by its name', () => {
  expect(detailsOf(event({ targetName: 'deploy', details: { role: 'admin' } }))).toBe('target=deploy, role=admin')
})
