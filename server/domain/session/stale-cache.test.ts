import { expect, it } from 'vitest'
import { done, type Founded, found, type Insider, newSlug } from '../../testing/organizations.ts'
import { createTestService } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService({ COOKIE_CACHE: 'on', TEAMS: 'on' })

type Actor = Insider & { readonly invitationId?: string; readonly teamId?: string }

const founder = ({ owner }: Founded): Promise<Actor> => Promise.resolve(owner)
const member = ({ join }: Founded): Promise<Actor> => join('admin')
const invited = async ({ invite }: Founded): Promise<Actor> => {
  const { owner } = await found(service)
  return { ...owner, invitationId: await invite(owner.email) }
}
const inTeam = async ({ id: organizationId, owner, join }: Founded): Promise<Actor> => {
  const { id: teamId } = await done(owner.post('/organization/create-team', { name: 'Works', organizationId }))
  const person = await join('admin', teamId)
  await done(person.post('/organization/set-active-team', { teamId }))
  return { ...person, teamId }
}

/** Calls, who makes them, and their input. Afterwards another organization or team is active in the session, or none. */
const acts: readonly [string, (acme: Founded) => Promise<Actor>, (actor: Actor, acme: Founded) => object][] = [
  ['create', member, () => ({ name: 'New', slug: newSlug() })],
  ['accept-invitation', invited, ({ invitationId }) => ({ invitationId })],
  ['set-active', member, () => ({ organizationId: null })],
  ['leave', member, (_, { id: organizationId }) => ({ organizationId })],
  ['remove-member', member, ({ memberId }, { id }) => ({ memberIdOrEmail: memberId, organizationId: id })],
  ['delete', founder, (_, { id: organizationId }) => ({ organizationId })],
  ['remove-team-member', inTeam, ({ teamId, userId }) => ({ teamId, userId })],
  ['set-active-team', inTeam, () => ({ teamId: null })],
]

const choice = async (person: Visitor, path: string) => {
  const { session } = await done(person.get(path))
  return [session.activeOrganizationId, session.activeTeamId]
}

it.each(acts)('after organization/%s a client reads no cached session', async (name, become, inputOf) => {
  const acme = await found(service)
  const actor = await become(acme)
  const before = await choice(actor, '/get-session')
  expect(actor.cookies.has('postern.session_data')).toBe(true)
  await done(actor.post(`/organization/${name}`, inputOf(actor, acme)))
  const after = await choice(actor, '/get-session')
  expect(after).not.toEqual(before)
  expect(after).toEqual(await choice(actor, '/get-session?disableCookieCache=true'))
})

it('without the cache nothing has to be removed', async () => {
  const plain = await createTestService()
  const { owner } = await found(plain)
  const made = await owner.post('/organization/create', { name: 'New', slug: newSlug() })
  expect([made.status, made.setCookies]).toEqual([200, []])
  expect(await choice(owner, '/get-session')).toEqual([made.body.id, expect.anything()])
  await plain.stop()
})
