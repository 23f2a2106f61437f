import { beforeAll, describe, expect, it } from 'vitest'
import { isPermitted, organizationRoles } from '../../../shared/permissions.ts'
import { parseRoles } from '../../../shared/role-text.ts'
import { knownCalls } from '../../testing/calls.ts'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { found, type Insider, newSlug, type Person } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { makeRole } from '../../testing/role-ways.ts'
import { inTurn } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const actors = ['owner', 'admin', 'member', 'member,admin', 'outsider', 'nobody'] as const
type Actor = (typeof actors)[number]

const service = useTestService()
let people: Record<Actor, Visitor>
/** Whom something is done to. */
let bob: Insider
let boss: Insider
let guest: Person
let redId: string
let invitationId: string
let keys: readonly Key[]
let restore: () => Promise<void>
const acme = useMade(() => found(service))
beforeAll(async () => {
  ;[bob, boss, guest] = [await acme.join('member'), await acme.join('owner'), await verifiedPerson(service)]
  redId = (await acme.owner.post('/organization/create-team', { name: 'Red' })).body.id
  invitationId = await acme.invite(guest.email)
  await makeRole(acme.owner, 'editor')
  await makeRole(acme.owner, 'closer', { organization: ['delete'] })
  people = {
    owner: steady(acme.owner, service),
    admin: steady(await acme.join('admin'), service),
    member: steady(await acme.join('member'), service),
    'member,admin': steady(await acme.join('member,admin'), service),
    outsider: steady(await verifiedPerson(service), service),
    nobody: service.visitor(),
  }
  keys = await everyKey()
  restore = await keepRows(service)
})

const post = (call: string, fields: () => object) => (person: Visitor) => person.post(`/organization/${call}`, fields())
const get = (call: string, query: () => Record<string, string>) => (person: Visitor) =>
  person.get(`/organization/${call}?${new URLSearchParams(query()).toString()}`)
const inAcme = <T extends object>(more: T = {} as T) => ({ organizationId: acme.id, ...more })
const someone = () => `dave-${crypto.randomUUID()}@example.com`
const invite = (role: string) => post('invite-member', () => inAcme({ email: someone(), role }))
const setRole = (member: () => Insider, role: string) =>
  post('update-member-role', () => inAcme({ memberId: member().memberId, role }))
const remove = (member: () => Insider) => post('remove-member', () => inAcme({ memberIdOrEmail: member().memberId }))
const createMore = post('create-role', () => inAcme({ role: 'new', permission: { organization: ['delete'] } }))
const updateRole = (roleName: string) =>
  post('update-role', () => inAcme({ roleName, data: { permission: { team: ['update'] } } }))
const deleteRole = (roleName: string) => post('delete-role', () => inAcme({ roleName }))
const ofBob = () => ({ teamId: acme.teamId, userId: bob.userId })

type Row = readonly [action: string, act: (person: Visitor) => Promise<Reply>, ...statuses: number[]]
/** Every action and what each actor is answered, in the order of `actors`. */
const matrix: readonly Row[] = [
  ['create', post('create', () => ({ name: 'Other', slug: newSlug() })), 200, 200, 200, 200, 200, 401],
  ['check-slug', post('check-slug', () => ({ slug: newSlug() })), 200, 200, 200, 200, 200, 401],
  ['update', post('update', () => inAcme({ data: { name: 'Ltd' } })), 200, 200, 403, 200, 400, 401],
  ['delete', post('delete', inAcme), 200, 403, 403, 403, 400, 401],
  ['list', get('list', () => ({})), 200, 200, 200, 200, 200, 401],
  ['get-organization', get('get-organization', inAcme), 200, 200, 200, 200, 403, 401],
  ['get-full-organization', get('get-full-organization', inAcme), 200, 200, 200, 200, 403, 401],
  ['set-active', post('set-active', inAcme), 200, 200, 200, 200, 403, 401],
  ['has-permission', post('has-permission', () => inAcme({ permissions: {} })), 200, 200, 200, 200, 401, 401],
  ['list-activity', get('list-activity', inAcme), 200, 200, 403, 200, 403, 401],
  ['list-roles', get('list-roles', inAcme), 200, 200, 200, 200, 403, 401],
  ['get-role', get('get-role', () => inAcme({ roleName: 'editor' })), 200, 200, 200, 200, 403, 401],
  ['create-role', post('create-role', () => inAcme({ role: 'new', permission: {} })), 200, 200, 403, 200, 403, 401],
  ['create-role: with more than an admin', createMore, 200, 403, 403, 403, 403, 401],
  ['update-role', updateRole('editor'), 200, 200, 403, 200, 403, 401],
  ['update-role: with more than an admin', updateRole('closer'), 200, 403, 403, 403, 403, 401],
  ['delete-role', deleteRole('editor'), 200, 200, 403, 200, 403, 401],
  ['delete-role: with more than an admin', deleteRole('closer'), 200, 403, 403, 403, 403, 401],
  ['add-member', post('add-member', () => inAcme({ userId: 'x', role: 'member' })), 404, 404, 404, 404, 404, 404],
  ['list-members', get('list-members', inAcme), 200, 200, 200, 200, 403, 401],
  ['get-active-member', get('get-active-member', () => ({})), 200, 200, 200, 200, 400, 401],
  ['get-active-member-role', get('get-active-member-role', inAcme), 200, 200, 200, 200, 403, 401],
  ['remove-member: a member', remove(() => bob), 200, 200, 401, 200, 400, 401],
  ['remove-member: an owner', remove(() => boss), 200, 400, 400, 400, 400, 401],
  ['update-member-role: a member to admin', setRole(() => bob, 'admin'), 200, 200, 403, 200, 400, 401],
  ['update-member-role: a member to owner', setRole(() => bob, 'owner'), 200, 403, 403, 403, 400, 401],
  ['update-member-role: an owner to admin', setRole(() => boss, 'admin'), 200, 403, 403, 403, 400, 401],
  ['leave', post('leave', inAcme), 200, 200, 200, 200, 400, 401],
  ['invite-member: a member', invite('member'), 200, 200, 403, 200, 400, 401],
  ['invite-member: an admin', invite('admin'), 200, 200, 403, 200, 400, 401],
  ['invite-member: an owner', invite('owner'), 200, 403, 403, 403, 400, 401],
  ['accept-invitation: of somebody else', post('accept-invitation', ofGuest), 403, 403, 403, 403, 403, 401],
  ['reject-invitation: of somebody else', post('reject-invitation', ofGuest), 403, 403, 403, 403, 403, 401],
  [
    'get-invitation: of somebody else',
    get('get-invitation', () => ({ id: invitationId })),
    403,
    403,
    403,
    403,
    403,
    401,
  ],
  ['cancel-invitation', post('cancel-invitation', ofGuest), 200, 200, 403, 200, 400, 401],
  ['list-invitations', get('list-invitations', inAcme), 200, 200, 200, 200, 403, 401],
  ['list-user-invitations', get('list-user-invitations', () => ({})), 200, 200, 200, 200, 200, 401],
  ['create-team', post('create-team', () => inAcme({ name: 'Blue' })), 200, 200, 403, 200, 403, 401],
  ['remove-team', post('remove-team', () => inAcme({ teamId: redId })), 200, 200, 403, 200, 403, 401],
  [
    'update-team',
    post('update-team', () => ({ teamId: redId, data: inAcme({ name: 'Blue' }) })),
    200,
    200,
    403,
    200,
    403,
    401,
  ],
  ['list-teams', get('list-teams', inAcme), 200, 200, 200, 200, 403, 401],
  ['add-team-member', post('add-team-member', () => ({ ...ofBob(), teamId: redId })), 200, 200, 403, 200, 400, 401],
  ['remove-team-member', post('remove-team-member', ofBob), 200, 200, 403, 200, 400, 401],
  ['set-active-team', post('set-active-team', () => ({ teamId: null })), 200, 200, 200, 200, 200, 401],
  ['list-user-teams', get('list-user-teams', inAcme), 200, 200, 200, 200, 403, 401],
  [
    'list-user-teams: of another',
    get('list-user-teams', () => inAcme({ userId: bob.userId })),
    200,
    200,
    403,
    200,
    403,
    401,
  ],
  ['list-team-members', get('list-team-members', () => ({ teamId: redId })), 200, 200, 200, 200, 400, 401],
]

const lines = matrix.map(([action, act, ...expected]) => ({ action, act, expected }))

function ofGuest() {
  return { invitationId }
}

async function begin(action: string): Promise<void> {
  await restore()
  if (action === 'remove-team-member')
    await service.deps.sql`update members set team_id = ${acme.teamId} where id = ${bob.memberId}`
}

it.each(inTurn(lines))('$action', async ({ action, act, expected }) => {
  const statuses: number[] = []
  for (const actor of actors) {
    await begin(action)
    statuses.push((await act(people[actor])).status)
  }
  expect(Object.fromEntries(actors.map((actor, index) => [actor, statuses[index]]))).toEqual(
    Object.fromEntries(actors.map((actor, index) => [actor, expected[index]])),
  )
})

interface Key {
  readonly name: string
  readonly machine: Visitor
  /** Who is answered the same. */
  readonly twin: Actor
  readonly scopes?: readonly string[]
}

/** A key of each kind, alive or not. */
async function everyKey(): Promise<readonly Key[]> {
  const admin = await acme.join('admin')
  const ofRole = async (role: Actor) => machine(service, (await organizationKey(acme, { role })).token)
  const ofAdmin = async (scopes?: readonly string[]) => machine(service, (await ownKey(admin, { scopes })).token)
  const dead = async (end: (keyId: string) => PromiseLike<unknown>, fields: object = {}) => {
    const { id, token } = await organizationKey(acme, fields)
    await end(id)
    return machine(service, token)
  }
  const { sql } = service.deps
  const [reading, removing] = [['read'], ['member:delete']]
  return [
    { name: 'of admins', machine: await ofRole('admin'), twin: 'admin' },
    { name: 'of members', machine: await ofRole('member'), twin: 'member' },
    { name: 'of both', machine: await ofRole('member,admin'), twin: 'member,admin' },
    { name: 'of an admin', machine: await ofAdmin(), twin: 'admin' },
    { name: 'of an admin, to read', machine: await ofAdmin(reading), twin: 'admin', scopes: reading },
    { name: 'of an admin, to remove members', machine: await ofAdmin(removing), twin: 'admin', scopes: removing },
    {
      name: 'expired',
      machine: await dead((id) => sql`update machine_keys set expires_at = now() where id = ${id}`),
      twin: 'nobody',
    },
    { name: 'revoked', machine: await dead((keyId) => acme.owner.post('/key/revoke', { keyId })), twin: 'nobody' },
    {
      name: 'rotated away',
      machine: await dead((keyId) => acme.owner.post('/key/rotate', { keyId, overlap: 0 })),
      twin: 'nobody',
    },
    {
      name: 'rotated a moment ago',
      machine: await dead((keyId) => acme.owner.post('/key/rotate', { keyId })),
      twin: 'admin',
    },
    {
      name: 'from elsewhere',
      machine: await dead(async () => undefined, { ipRanges: ['192.0.2.0/24'] }),
      twin: 'nobody',
    },
  ]
}

/** What the record of the call says of keys, and else what a person with these roles is answered. */
function answerTo({ twin, scopes, name }: Key, action: string, expected: readonly number[]): string {
  const { call } = knownCalls.find(({ path }) => path === `/organization/${action.replace(/:.*/, '')}`)!
  const ofTwin = expected[actors.indexOf(twin)]
  if (call.access === 'server' || twin === 'nobody') return String(ofTwin)
  if (call.scope === undefined) return '403 MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL'
  if (scopes && !scopes.includes(call.scope)) return '403 KEY_SCOPE_MISSING'
  // A person's key has no organization active.
  return action === 'get-active-member' && name.startsWith('of an admin') ? '400' : String(ofTwin)
}

const keyCodes = ['MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL', 'KEY_SCOPE_MISSING']

it.each(inTurn(lines, 1))(
  '$action, asked by keys: as the table allows to people with their roles, and no call for people alone',
  async ({ action, act, expected }) => {
    const answers = []
    for (const key of keys) {
      await begin(action)
      const { status, body } = await act(key.machine)
      answers.push([key.name, keyCodes.includes(body?.code) ? `${status} ${body.code}` : String(status)])
    }
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(keys.map((key) => [key.name, answerTo(key, action, expected)])),
    )
  },
)

it('has a line for every call', () => {
  const calls = knownCalls.filter(({ path }) => path.startsWith('/organization/')).map(({ path }) => path.slice(14))
  expect([...new Set(matrix.map(([action]) => action.replace(/:.*/, '')))].toSorted()).toEqual(calls.toSorted())
})

describe('has-permission', () => {
  const all = Object.entries(organizationRoles.owner ?? {}).flatMap(([resource, actions]) =>
    actions.map((action) => [resource, action] as const),
  )

  it.each(['owner', 'admin', 'member', 'member,admin'] as const)(
    'tells %s what the table of roles says',
    async (actor) => {
      await restore()
      for (const [resource, action] of all) {
        const permissions = { [resource]: [action] }
        const { body } = await people[actor].post('/organization/has-permission', { permissions })
        expect([resource, action, body]).toEqual([
          resource,
          action,
          { error: null, success: isPermitted(organizationRoles, parseRoles(actor), permissions) },
        ])
      }
    },
  )

  it.each<[string, object, boolean]>([
    ['all of what is asked', { permissions: { organization: ['update'], team: ['create', 'delete'] } }, true],
    ['but not when one action is missing', { permissions: { organization: ['update', 'delete'] } }, false],
    ['but not when one resource is missing', { permissions: { team: ['create'], organization: ['delete'] } }, false],
    ['by the older name', { permission: { member: ['create'] } }, true],
    ['nothing unknown', { permissions: { rocket: ['launch'], team: ['create'] } }, false],
    ['no name that every object has', { permissions: { toString: [], constructor: ['name'], valueOf: ['x'] } }, false],
    ['not nothing', { permissions: {} }, false],
    ['not no action', { permissions: { team: [] } }, false],
  ])('grants an admin %s', async (_name, asked, success) => {
    await restore()
    const reply = await people.admin.post('/organization/has-permission', asked)
    expect(reply).toMatchObject({ status: 200, body: { error: null, success } })
  })

  it.each([[{}], [{ permissions: { team: ['create'] }, permission: { team: ['create'] } }], [{ permissions: null }]])(
    'is not asked by %j',
    async (asked) => {
      const reply = await people.admin.post('/organization/has-permission', asked)
      expect(reply).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
    },
  )
})
