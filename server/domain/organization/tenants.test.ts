import { beforeAll, describe, expect, it } from 'vitest'
import { dump } from '../../testing/calls.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { done, type Founded, found, type Insider, newSlug, serverHeaders } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()
/** Two organizations that have nothing to do with each other. */
let acme: Founded
let foreign: Founded
let foreignBob: Insider
let foreignInvitation: string
beforeAll(async () => {
  ;[acme, foreign] = [await found(service), await found(service)]
  await acme.owner.post('/organization/create-team', { name: 'Red' })
  await foreign.owner.post('/organization/create-team', { name: 'Red' })
  foreignBob = await foreign.join('member')
  foreignInvitation = await foreign.invite('dave@example.com')
})

const seen = ({ status, text, setCookies }: Reply) => ({ status, text, setCookies })
const active = async (person: Visitor) => (await person.get('/get-session')).body.session.activeOrganizationId
const post = (call: string, fields: object) => (person: Visitor) => person.post(`/organization/${call}`, fields)
const get = (call: string, query: Record<string, string>) => (person: Visitor) =>
  person.get(`/organization/${call}?${new URLSearchParams(query).toString()}`)

type Ask = (id: string, own: Founded) => (person: Visitor) => Promise<Reply>
/** Every place where an id may stand, with a way to put any id there. */
const places: readonly (readonly [place: string, foreignId: () => string | null, ask: Ask])[] = [
  [
    'organizationId of update',
    organization,
    (organizationId) => post('update', { data: { name: 'X' }, organizationId }),
  ],
  ['organizationId of delete', organization, (organizationId) => post('delete', { organizationId })],
  [
    'organizationId of get-full-organization',
    organization,
    (id) => get('get-full-organization', { organizationId: id }),
  ],
  [
    'organizationSlug of get-full-organization',
    () => foreign.slug,
    (slug) => get('get-full-organization', { organizationSlug: slug }),
  ],
  ['organizationId of set-active', organization, (organizationId) => post('set-active', { organizationId })],
  [
    'organizationSlug of set-active',
    () => foreign.slug,
    (organizationSlug) => post('set-active', { organizationSlug }),
  ],
  [
    'organizationId of has-permission',
    organization,
    (organizationId) => post('has-permission', { organizationId, permissions: {} }),
  ],
  ['organizationId of list-members', organization, (organizationId) => get('list-members', { organizationId })],
  [
    'organizationId of remove-member',
    organization,
    (organizationId) => post('remove-member', { memberIdOrEmail: foreignBob.memberId, organizationId }),
  ],
  [
    'member of remove-member',
    member,
    (memberIdOrEmail, { id }) => post('remove-member', { memberIdOrEmail, organizationId: id }),
  ],
  [
    'address of remove-member',
    () => foreignBob.email,
    (text, { id }) =>
      post('remove-member', { memberIdOrEmail: text.includes('@') ? text : `${text}@example.com`, organizationId: id }),
  ],
  [
    'memberId of update-member-role',
    member,
    (memberId, { id }) => post('update-member-role', { memberId, role: 'admin', organizationId: id }),
  ],
  [
    'organizationId of update-member-role',
    organization,
    (organizationId) => post('update-member-role', { memberId: foreignBob.memberId, role: 'admin', organizationId }),
  ],
  ['organizationId of leave', organization, (organizationId) => post('leave', { organizationId })],
  [
    'organizationId of invite-member',
    organization,
    (organizationId) => post('invite-member', { email: 'eve@example.com', role: 'member', organizationId }),
  ],
  [
    'teamId of invite-member',
    team,
    (teamId) => post('invite-member', { email: 'eve@example.com', role: 'member', teamId }),
  ],
  ['invitationId of cancel-invitation', invitation, (invitationId) => post('cancel-invitation', { invitationId })],
  ['organizationId of list-invitations', organization, (organizationId) => get('list-invitations', { organizationId })],
  [
    'organizationId of create-team',
    organization,
    (organizationId) => post('create-team', { name: 'X', organizationId }),
  ],
  ['teamId of set-active-team', team, (teamId) => post('set-active-team', { teamId })],
  ['organizationId of list-user-teams', organization, (organizationId) => get('list-user-teams', { organizationId })],
  ['teamId of remove-team', team, (teamId) => post('remove-team', { teamId })],
  [
    'organizationId of remove-team',
    organization,
    (organizationId) => post('remove-team', { teamId: foreign.teamId, organizationId }),
  ],
  ['teamId of update-team', team, (teamId) => post('update-team', { teamId, data: { name: 'X' } })],
  [
    'organizationId of update-team',
    organization,
    (organizationId) => post('update-team', { teamId: foreign.teamId, data: { name: 'X', organizationId } }),
  ],
  ['organizationId of list-teams', organization, (organizationId) => get('list-teams', { organizationId })],
  ['teamId of add-team-member', team, (teamId) => post('add-team-member', { teamId, userId: acme.owner.userId })],
  ['userId of add-team-member', user, (userId, { teamId }) => post('add-team-member', { teamId, userId })],
  ['teamId of remove-team-member', team, (teamId) => post('remove-team-member', { teamId, userId: foreignBob.userId })],
  ['userId of remove-team-member', user, (userId, { teamId }) => post('remove-team-member', { teamId, userId })],
  ['teamId of list-team-members', team, (teamId) => get('list-team-members', { teamId })],
]
function organization() {
  return foreign.id
}
function member() {
  return foreignBob.memberId
}
function user() {
  return foreignBob.userId
}
function team() {
  return foreign.teamId
}
function invitation() {
  return foreignInvitation
}

describe('an id of a foreign organization, as', () => {
  it.each(places)('%s, is answered like one that nobody ever gave, and changes nothing', async (_place, id, ask) => {
    const before = await dump(service)
    const swapped = await ask(id() ?? '', acme)(acme.owner)
    const random = await ask(crypto.randomUUID(), acme)(acme.owner)
    expect(seen(swapped)).toEqual(seen(random))
    expect(swapped.status).toBeGreaterThanOrEqual(400)
    expect(await dump(service)).toBe(before)
  })

  it('teamId of add-member, is none either', async () => {
    const dave = await verifiedPerson(service)
    const [{ id: userId } = { id: '' }] = await service.deps.sql<
      { id: string }[]
    >`select id from users where email = ${dave.email}`
    const add = (teamId: string | null) =>
      post('add-member', { userId, role: 'member', organizationId: acme.id, teamId })
    const [swapped, random] = [
      await service
        .visitor()
        .post(
          '/organization/add-member',
          { userId, role: 'member', organizationId: acme.id, teamId: foreign.teamId },
          serverHeaders,
        ),
      await service
        .visitor()
        .post(
          '/organization/add-member',
          { userId, role: 'member', organizationId: acme.id, teamId: 'x' },
          serverHeaders,
        ),
    ]
    expect(seen(swapped)).toEqual(seen(random))
    expect((await add(acme.teamId)(acme.owner)).status).toBe(404)
  })

  // The sentence admits that there is such an invitation, for somebody else; its id is 32 random letters and digits.
  it('invitationId, is refused to everybody but its recipient', async () => {
    for (const ask of [
      post('accept-invitation', { invitationId: foreignInvitation }),
      post('reject-invitation', { invitationId: foreignInvitation }),
      get('get-invitation', { id: foreignInvitation }),
    ])
      expect(await ask(acme.owner)).toMatchObject({
        status: 403,
        body: { message: 'You are not the recipient of the invitation' },
      })
    expect(foreignInvitation).toMatch(/^[A-Za-z0-9]{32}$/)
  })
})

describe('a choice of the active organization that is refused', () => {
  it.each([
    ['of a foreign one', () => ({ organizationId: foreign.id })],
    ['of a foreign one by its slug', () => ({ organizationSlug: foreign.slug })],
    ['of a foreign slug beside the own id', () => ({ organizationId: acme.id, organizationSlug: foreign.slug })],
    ['of one that never was', () => ({ organizationId: 'x' })],
    ['of nothing', () => ({ organizationId: '' })],
  ])('%s leaves the old one', async (_name, choice) => {
    const reply = await acme.owner.post('/organization/set-active', choice())
    expect([reply.status, reply.setCookies, await active(acme.owner)]).toEqual([403, [], acme.id])
  })

  it('of one that was deleted leaves the old one', async () => {
    const ann = await verifiedPerson(service)
    const make = async () => (await done(ann.post('/organization/create', { name: 'X', slug: newSlug() }))).id
    const [kept, gone] = [await make(), await make()]
    await ann.post('/organization/set-active', { organizationId: kept })
    await done(ann.post('/organization/delete', { organizationId: gone }))
    expect((await ann.post('/organization/set-active', { organizationId: gone })).status).toBe(403)
    expect(await active(ann)).toBe(kept)
  })
})

describe('the active organization', () => {
  it('is the new one, unless the creator keeps theirs', async () => {
    const ann = await verifiedPerson(service)
    const make = async (more: object) =>
      (await done(ann.post('/organization/create', { name: 'X', slug: newSlug(), ...more }))).id
    const first = await make({})
    expect(await active(ann)).toBe(first)
    await make({ keepCurrentActiveOrganization: true })
    expect(await active(ann)).toBe(first)
  })

  it('is chosen by id, by slug whatever its case, again, and taken away by null', async () => {
    const choose = (choice: object) => acme.owner.post('/organization/set-active', choice)
    expect((await choose({ organizationId: null })).body).toBeNull()
    expect(await active(acme.owner)).toBeNull()
    expect((await choose({})).body).toBeNull()
    expect(await acme.owner.get('/organization/get-full-organization')).toMatchObject({ status: 200, text: 'null' })
    expect((await choose({ organizationSlug: acme.slug.toUpperCase() })).body).toMatchObject({
      id: acme.id,
      teams: null,
    })
    expect((await choose({})).body.id).toBe(acme.id)
    const reply = await choose({ organizationId: acme.id })
    expect([reply.body.members.length, reply.setCookies.length > 0, await active(acme.owner)]).toEqual([
      1,
      true,
      acme.id,
    ])
  })
})

describe('somebody who was removed, with three sessions', () => {
  let sessions: Visitor[]
  let before: unknown[]
  const bob = useMade(() => acme.join('admin', acme.teamId ?? undefined))
  beforeAll(async () => {
    const others = [service.visitor(), service.visitor()]
    for (const other of others) {
      await done(other.post('/sign-in/email', { email: bob.email, password: testPassword }))
      await done(other.post('/organization/set-active', { organizationId: acme.id }))
    }
    sessions = [bob, ...others].map((person) => steady(person, service))
    before = await Promise.all(sessions.map(active))
    await done(acme.owner.post('/organization/remove-member', { memberIdOrEmail: bob.email.toUpperCase() }))
  })

  it('has none of it active any more', async () => {
    expect(before).not.toContain(null)
    for (const session of sessions) expect(await active(session)).toBeNull()
  })

  it('is answered by every call as a stranger is', async () => {
    const stranger = await verifiedPerson(service)
    for (const [name, , ask] of places) {
      const id = name.startsWith('organizationSlug') ? acme.slug : name.startsWith('organizationId') ? acme.id : 'x'
      const expected = seen(await ask(id, acme)(stranger))
      for (const session of sessions) expect([name, seen(await ask(id, acme)(session))]).toEqual([name, expected])
      expect(expected.status).toBeGreaterThanOrEqual(400)
    }
  })

  it('nor when a session still believes that it is active', async () => {
    const { sql } = service.deps
    await sql`update sessions set active_organization_id = ${acme.id} where user_id = ${bob.userId}`
    const withoutId = [
      post('update', { data: { name: 'X' } }),
      get('get-full-organization', {}),
      post('set-active', {}),
      post('has-permission', { permissions: {} }),
      get('list-members', {}),
      get('get-active-member', {}),
      post('remove-member', { memberIdOrEmail: acme.owner.memberId }),
      post('update-member-role', { memberId: acme.owner.memberId, role: 'member' }),
      post('invite-member', { email: 'eve@example.com', role: 'member' }),
      get('list-invitations', {}),
      post('create-team', { name: 'X' }),
      post('remove-team', { teamId: acme.teamId }),
      post('update-team', { teamId: acme.teamId, data: { name: 'X' } }),
      get('list-teams', {}),
    ]
    for (const ask of withoutId)
      for (const session of sessions) expect((await ask(session)).status).toBeGreaterThanOrEqual(400)
    expect((await bob.get('/organization/list')).body).toEqual([])
  })
})

it('check-slug needs a session, and tells only what creating would tell', async () => {
  expect((await service.visitor().post('/organization/check-slug', { slug: acme.slug })).status).toBe(401)
  const ann = await verifiedPerson(service)
  expect((await ann.post('/organization/check-slug', { slug: acme.slug.toUpperCase() })).body.message).toBe(
    'slug is taken',
  )
  expect((await ann.post('/organization/check-slug', { slug: newSlug() })).body).toEqual({ status: true })
})
