import { expect, it } from 'vitest'
import type { MemberView } from '../../../shared/organization.ts'
import { machinesText, removeMember } from './remove.ts'

const member: MemberView = {
  id: 'm1',
  organizationId: 'o',
  userId: 'u1',
  role: ['admin'],
  teamId: null,
  createdAt: new Date(0),
  user: { id: 'u1', name: 'Ben', email: 'ben@example.com', image: null },
}
const ben = { member, isOwner: false, org: 'acme' }
const machines = ['key deploy', 'trust rule site']

it('the question names the keys and rules of whoever is removed, and the ways to choose from', () => {
  expect(removeMember.consent?.question([{ ...ben, machines }])).toBe(
    'Remove ben@example.com from the organization? Then nobody is responsible for key deploy, trust rule site: they stop working until somebody adopts them. --keys revoke ends them, --keys adopt makes you responsible.',
  )
  expect(machinesText([{ ...ben, machines, fate: 'revoke' }])).toBe(' This revokes key deploy, trust rule site.')
  expect(machinesText([{ ...ben, machines, fate: 'adopt' }])).toBe(
    ' This makes you responsible for key deploy, trust rule site.',
  )
  expect(machinesText([{ ...ben, machines: [] }])).toBe('')
})

it('a screen, which does not know them, says the same of whatever there is', () => {
  expect(machinesText([ben])).toContain('stop working until somebody adopts them')
  expect(machinesText([{ ...ben, fate: 'revoke' }])).toBe(
    ' This revokes the keys and trust rules that they are responsible for.',
  )
})
