import { expect, test } from 'vitest'
import { users } from './admin/resource.ts'
import { invitations } from './invitation/resource.ts'
import { keys, ownKeys } from './key/resource.ts'
import { links } from './link/resource.ts'
import { members } from './member/resource.ts'
import { organizationSettings, organizations } from './org/resource.ts'
import { listColumns } from './resource.ts'
import { roles } from './role/resource.ts'
import { sessions, userSessions } from './session/resource.ts'
import { teamMembers, teams } from './team/resource.ts'
import { trusts } from './trust/resource.ts'

const ofOrganization = { organization: { teams: [] } }
const records = [
  users,
  invitations,
  keys,
  ownKeys,
  links,
  members,
  organizations,
  organizationSettings,
  roles,
  sessions,
  userSessions,
  teamMembers,
  teams,
  trusts,
]

test.each(records.map((record) => [record.noun, record] as const))(
  'what is shown of a %s is a field of it',
  (_, one) => {
    const { fields, list, detail } = one
    const listed = typeof list === 'function' ? list(ofOrganization as never) : list
    const told = typeof detail === 'function' ? [] : detail
    expect(Object.keys(fields)).toEqual(expect.arrayContaining([...listed, ...told]))
  },
)

test.each(records.map((record) => [record.noun, record] as const))(
  'no two acts on a %s have one key',
  (_, { acts }) => {
    const keysOf = acts.flatMap(({ key }) => (key ? [key[0]] : []))
    expect(new Set(keysOf).size).toBe(keysOf.length)
  },
)

test('a column without a title is empty where there is nothing to mark', () => {
  const active = { id: 'o1', name: 'Acme', slug: 'acme', createdAt: new Date(0) } as never
  const cells = listColumns(organizations, { active: undefined } as never).map(({ title, shown }) => [
    title,
    shown(active, () => '1d'),
  ])
  expect(cells).toEqual([
    ['Name', 'Acme'],
    ['Slug', 'acme'],
    ['Created', '1d'],
    ['', ''],
  ])
})
