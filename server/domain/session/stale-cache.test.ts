import { afterAll, beforeAll, expect, it } from 'vitest'
import { done, type Founded, found, newSlug } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Visitor } from '../../testing/visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService({ COOKIE_CACHE: 'on', TEAMS: 'on' })
})
afterAll(() => service.stop())

const someone = async ({ join }: Founded) => join('admin')
const invited = async ({ invite }: Founded) => {
  const { owner } = await found(service)
  return Object.assign(owner, { invitationId: await invite(owner.email) })
}
const inNewTeam = async ({ id: organizationId, owner, join }: Founded) => {
  const { id: teamId } = await done(owner.post('/organization/create-team', { name: 'Works', organizationId }))
  const person = await join('admin', teamId)
  await done(person.post('/organization/set-active-team', { teamId }))
  return Object.assign(person, { teamId })
}

/** Who does what, after which another organization or team is active in their session, or none. */
const acts = {
  create: async (acme: Founded) => {
    const person = await someone(acme)
    return { person, act: () => person.post('/organization/create', { name: 'New', slug: newSlug() }) }
  },
  'accept-invitation': async (acme: Founded) => {
    const person = await invited(acme)
    const { invitationId } = person
    return { person, act: () => person.post('/organization/accept-invitation', { invitationId }) }
  },
  'set-active': async (acme: Founded) => {
    const person = await someone(acme)
    return { person, act: () => person.post('/organization/set-active', { organizationId: null }) }
  },
  leave: async (acme: Founded) => {
    const person = await someone(acme)
    return { person, act: () => person.post('/organization/leave', { organizationId: acme.id }) }
  },
  'remove-member': async (acme: Founded) => {
    const person = await someone(acme)
    const themselves = { memberIdOrEmail: person.memberId, organizationId: acme.id }
    return { person, act: () => person.post('/organization/remove-member', themselves) }
  },
  delete: ({ id: organizationId, owner: person }: Founded) =>
    Promise.resolve({ person, act: () => person.post('/organization/delete', { organizationId }) }),
  'remove-team-member': async (acme: Founded) => {
    const person = await inNewTeam(acme)
    const { teamId, userId } = person
    return { person, act: () => person.post('/organization/remove-team-member', { teamId, userId }) }
  },
  'set-active-team': async (acme: Founded) => {
    const person = await inNewTeam(acme)
    return { person, act: () => person.post('/organization/set-active-team', { teamId: null }) }
  },
}

const choice = async (person: Visitor, path: string) => {
  const { session } = await done(person.get(path))
  return [session.activeOrganizationId, session.activeTeamId]
}

it.each(Object.entries(acts))('after organization/%s a client reads no cached session', async (_, prepare) => {
  const { person, act } = await prepare(await found(service))
  const before = await choice(person, '/get-session')
  expect(person.cookies.has('postern.session_data')).toBe(true)
  await done(act())
  const after = await choice(person, '/get-session')
  expect(after).not.toEqual(before)
  expect(after).toEqual(await choice(person, '/get-session?disableCookieCache=true'))
})

it('without the cache nothing has to be removed', async () => {
  const plain = await createTestService()
  const { owner } = await found(plain)
  const made = await owner.post('/organization/create', { name: 'New', slug: newSlug() })
  expect([made.status, made.setCookies]).toEqual([200, []])
  expect(await choice(owner, '/get-session')).toEqual([made.body.id, expect.anything()])
  await plain.stop()
})
