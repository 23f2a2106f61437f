import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { userOf, verifiedPerson } from '../../testing/mailed.ts'
import {
  acts,
  type Chosen,
  emailOf,
  type Organization,
  people,
  roles,
  type Session,
  type Who,
  type World,
} from '../../testing/naive-model.ts'
import { modelRuns, timeFor } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const userIds = new Map<Who, string>()
const admin = useMade(() => adminOf(service))
beforeAll(async () => {
  for (const person of people) {
    await verifiedPerson(service, { email: emailOf(person), name: person })
    userIds.set(person, (await userOf(service, emailOf(person))).id)
  }
})

const signInAct = 'sign in'
/** What a step does; without the weights most sessions would be over, and most organizations empty. */
const weights: Record<string, number> = {
  [signInAct]: 4,
  'create an organization': 3,
  invite: 24,
  accept: 30,
  'change a role': 20,
  'revoke all sessions': 1,
  'sign out': 1,
}
const act = fc.oneof(
  ...[signInAct, ...Object.keys(acts)].map((name) => ({ arbitrary: fc.constant(name), weight: weights[name] ?? 3 })),
)
const step = fc.record({
  act,
  session: fc.nat(),
  /** Whether it is somebody's turn who probably may: who is invited, a member for what is about an organization. */
  isApt: fc.oneof({ arbitrary: fc.constant(true), weight: 5 }, fc.constant(false)),
  other: fc.nat(),
  organization: fc.nat(2),
  invitation: fc.nat(4),
  person: fc.nat(),
  role: fc.constantFrom(...roles),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const pick = <T>(list: readonly T[], place: number): T | undefined => list[place % list.length]
/** The newest is first: what is pending is among them. */
const pickLate = <T>(list: readonly T[], place: number): T | undefined => pick(list.toReversed(), place)

const personOf = ({ person }: Step): Who => pick(people, person) ?? 'ann'

function choose({ sessions, organizations, invitations }: World, asked: Step): Chosen {
  const organization = pickLate(organizations, asked.organization)
  const invitation = pickLate(invitations, asked.invitation)
  const isAnswer = asked.act === 'accept' || asked.act === 'reject'
  const canAct = (person: Who) => (isAnswer ? person === invitation?.to : organization?.members.has(person))
  const able = asked.isApt ? sessions.filter(({ isLive, person }) => isLive && canAct(person)) : []
  const members = asked.isApt && asked.act !== 'invite' ? [...(organization?.members.keys() ?? [])] : []
  const ofAll = (place: number) => pick(sessions, place) as Session
  return {
    session: pick(able, asked.session) ?? ofAll(asked.session),
    other: ofAll(asked.other),
    organization,
    invitation,
    person: pick(members, asked.person) ?? personOf(asked),
    role: asked.role,
  }
}

const told = ({ status, body }: Reply): string =>
  status === 200 ? '200' : [status, body?.message].filter(Boolean).join(' ')

const enter = (visitor: Visitor, email: string) => visitor.post('/sign-in/email', { email, password: testPassword })

/** Nothing for who is banned. */
async function signIn({ banned }: World, person: Who): Promise<Session | undefined> {
  const visitor = service.visitor()
  const { status, body } = await enter(visitor, emailOf(person))
  expect([person, status]).toEqual([person, banned.has(person) ? 403 : 200])
  return status === 200 ? { visitor, token: body.token, person, isLive: true, active: undefined } : undefined
}

/** To one whose session is over: who signed out already is told so, and without a cookie there is nothing to sign out. */
const statusesForNobody = (path: string): string[] => (path === '/sign-out' ? ['200', '400'] : ['401'])

async function add(world: World, person: Who): Promise<void> {
  const session = await signIn(world, person)
  if (session) world.sessions.push(session)
}

async function take(world: World, asked: Step): Promise<void> {
  if (asked.act === signInAct) {
    await add(world, personOf(asked))
    return
  }
  const chosen = choose(world, asked)
  const act = acts[asked.act]?.(world, chosen)
  if (!act) return
  const { isLive, visitor } = act.isOfAdmin ? { isLive: true, visitor: admin } : chosen.session
  const reply = await visitor.post(act.path, act.body)
  const expected = isLive ? [act.refusal ?? '200'] : statusesForNobody(act.path)
  expect([act.path, isLive ? told(reply) : `${reply.status}`]).toEqual([act.path, expect.toBeOneOf(expected)])
  if (isLive && !act.refusal) act.change(reply.body)
}

const sessionSeen = async ({ visitor }: Session) => {
  const { body } = await visitor.get('/get-session')
  return body && { email: body.user.email, active: body.session.activeOrganizationId ?? null }
}

/** What is true of an organization, as one of its members is told. */
async function organizationSeen(visitor: Visitor, { id }: Organization) {
  const { status, body } = await visitor.get(`/organization/get-full-organization?organizationId=${id}`)
  if (status !== 200) return status
  const members = body.members.map((one: { user: { email: string }; role: string }) => `${one.user.email} ${one.role}`)
  const pending = body.invitations.filter((one: { status: string }) => one.status === 'pending')
  return { members: members.toSorted(), pending: pending.map(({ id }: { id: string }) => id).toSorted() }
}

const organizationKnown = ({ invitations }: World, organization: Organization, person: Who) =>
  organization.members.has(person)
    ? {
        members: [...organization.members].map(([member, { role }]) => `${emailOf(member)} ${role}`).toSorted(),
        pending: invitations
          .filter((one) => one.organization === organization && one.status === 'pending')
          .map(({ id }) => id)
          .toSorted(),
      }
    : 403

async function compare(world: World): Promise<void> {
  const known = world.sessions.map(({ isLive, person, active }) =>
    isLive ? { email: emailOf(person), active: active?.id ?? null } : null,
  )
  expect(await Promise.all(world.sessions.map(sessionSeen))).toEqual(known)
  for (const person of people) {
    const session = await signIn(world, person)
    if (!session) continue
    const { visitor } = session
    for (const organization of world.organizations)
      expect(await organizationSeen(visitor, organization)).toEqual(organizationKnown(world, organization, person))
    const { body } = await visitor.get('/organization/list')
    expect(body.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      world.organizations
        .filter(({ members }) => members.has(person))
        .map(({ id }) => id)
        .toSorted(),
    )
  }
}

/** Everybody has a session; there is nothing else. */
async function begin(): Promise<World> {
  const { sql } = service.deps
  await sql`with closed as (delete from organizations), let_in as (update users set banned = false) delete from sessions`
  await enter(admin, admin.email)
  const world: World = { userIds, banned: new Set(), sessions: [], organizations: [], invitations: [] }
  for (const person of people) await add(world, person)
  return world
}

it(
  'any sequence of calls ends as a naive reader of the rules expects',
  async () => {
    const sequences = fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async (steps) => {
      const world = await begin()
      for (const asked of steps) await take(world, asked)
      await compare(world)
    })
    await expect(fc.assert(sequences, { numRuns: modelRuns, unbiased: true })).resolves.toBeUndefined()
  },
  timeFor(modelRuns).timeout,
)
