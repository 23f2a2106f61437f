import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewestClient } from 'better-auth-1.7/client'
import { organizationClient as newestOrganizationClient } from 'better-auth-1.7/client/plugins'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  askPeer as ask,
  type Fetch,
  movePeer,
  type Peer,
  peerOrigin,
  peerVersions,
  startPeer,
} from '../../../testing/better-auth-peer.ts'
import { movedOrganizations, movedUsers } from '../../../testing/rounds.ts'
import { createTestService, type TestService } from '../../../testing/service.ts'
import { slack } from '../../../testing/slack.ts'
import type { MapFile } from './names.ts'

// better-auth hashes each password in JavaScript, which takes a good part of a second.
vi.setConfig({ testTimeout: 3_600_000 * slack })

const snake = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: { modelName: 'sessions', fields: { userId: 'user_id', expiresAt: 'expires_at', ipAddress: 'ip_address' } },
  account: { modelName: 'accounts', fields: { userId: 'user_id', providerId: 'provider_id', accountId: 'account_id' } },
}

const passwordOf = (n: number) => `the old password ${n}`

/** Fills it through its own calls; only roles, bans and identities are written as its plugins would. */
async function fill({ handler, sql }: Peer) {
  const people: { email: string; password: string; cookie: string }[] = []
  for (let n = 0; n < movedUsers; n += 1) {
    const person = { email: `person-${n}@example.com`, password: passwordOf(n) }
    const { status, cookie } = await ask(handler, '/sign-up/email', { ...person, name: `Person ${n}` })
    expect(status).toBe(200)
    people.push({ ...person, cookie })
  }
  for (let n = 0; n < movedOrganizations; n += 1) await fillOrganization(handler, people, n)
  await sql.unsafe(`update "user" set role = 'admin', "emailVerified" = true where email = 'person-0@example.com'`)
  await sql.unsafe(`update "user" set banned = true, "banReason" = 'spam' where email = 'person-1@example.com'`)
  await sql.unsafe(`insert into account (id, "accountId", "providerId", "userId", "accessToken", "createdAt", "updatedAt")
    select 'social', '42', 'github', id, 'token of github', now(), now() from "user" where email = 'person-2@example.com'`)
  return people
}

async function fillOrganization(handler: Fetch, people: readonly { cookie: string; email: string }[], n: number) {
  const owner = people[2 + (n % (people.length - 2))]!
  const metadata = { plan: n }
  const made = await ask(
    handler,
    '/organization/create',
    { name: `Acme ${n}`, slug: `acme-${n}`, metadata },
    owner.cookie,
  )
  expect(made.status).toBe(200)
  const { id } = made.body
  const team = await ask(handler, '/organization/create-team', { name: 'Support', organizationId: id }, owner.cookie)
  expect(team.status).toBe(200)
  const guest = people[(n + 3) % people.length]!
  const invited = { email: guest.email, role: 'admin', organizationId: id }
  const invitation = await ask(handler, '/organization/invite-member', invited, owner.cookie)
  if (invitation.status === 200 && n % 2 === 0)
    await ask(handler, '/organization/accept-invitation', { invitationId: invitation.body['id'] }, guest.cookie)
}

let service: TestService | undefined
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  await service?.stop()
})

type Client = readonly [typeof createAuthClient, () => unknown]
type Rows = readonly { id: string }[] | undefined
interface OrganizationCalls {
  readonly organization: { getFullOrganization(input: object): Promise<{ data: unknown }> }
}

/** What the unmodified client of that version reads of an organization. */
async function readThrough([create, plugin]: Client, fetch: Fetch, cookie: string, slug: string) {
  const client: unknown = create({
    baseURL: peerOrigin,
    plugins: [plugin() as ReturnType<typeof organizationClient>],
    fetchOptions: {
      headers: { cookie, origin: peerOrigin },
      customFetchImpl: (input: string | URL | Request, init?: RequestInit) => fetch(new Request(input, init)),
    },
  })
  const { organization: calls } = client as OrganizationCalls
  const { data } = await calls.getFullOrganization({ query: { organizationSlug: slug } })
  const byId = (rows: Rows = []) => rows.toSorted((one, other) => one.id.localeCompare(other.id))
  const { id, name, metadata, members, invitations, teams } = data as Record<string, Rows>
  const plainMetadata = typeof metadata === 'string' ? JSON.parse(metadata) : metadata
  const kept = (rows: Rows, ...fields: readonly string[]) =>
    byId(rows).map((row) => Object.fromEntries(fields.map((field) => [field, Reflect.get(row, field)])))
  return {
    id,
    name,
    metadata: plainMetadata,
    members: kept(members, 'id', 'userId', 'role', 'organizationId'),
    // We list those that can still be answered.
    invitations: kept(invitations, 'id', 'email', 'role', 'status', 'inviterId').filter(
      ({ status }) => status === 'pending',
    ),
    teams: kept(teams, 'id', 'name', 'organizationId'),
  }
}

describe.each(peerVersions)('better-auth %s', (version) => {
  it('comes with everyone, who sign in with the old password and find the same organizations', async () => {
    // With its own hash.
    const peer = await startPeer(version, { emailAndPassword: { password: undefined } })
    stops.push(peer.stop)
    await service?.stop()
    service = await createTestService({ BASE_URL: peerOrigin, RATE_LIMIT: 'off' })
    const people = await fill(peer)
    const { from } = peer
    const { summary, left } = await movePeer(service!, from)
    expect(left).toEqual([])
    expect(summary).toMatchObject({
      different: [],
      stored: { user: movedUsers, account: movedUsers + 1, organization: movedOrganizations },
    })
    const [{ count } = { count: 0 }] = await peer.sql<
      { count: number }[]
    >`select count(*)::int as count from invitation`
    expect([count > 0, summary.stored.invitation]).toEqual([true, count])
    const ours: Fetch = async (request) => service!.app.fetch(request)
    const client: Client =
      version === '1.2.8'
        ? [createAuthClient, organizationClient]
        : [createNewestClient as never as typeof createAuthClient, newestOrganizationClient]
    for (const [n, person] of people.entries()) {
      const signedIn = await ask(ours, '/sign-in/email', { email: person.email, password: person.password })
      expect([person.email, signedIn.status]).toEqual([person.email, n === 1 ? 403 : 200])
      const own = n - 2
      if (own < 0 || own >= movedOrganizations) continue
      const read = (fetch: Fetch, cookie: string) => readThrough(client, fetch, cookie, `acme-${own}`)
      expect(await read(ours, signedIn.cookie)).toEqual(await read(peer.handler, person.cookie))
    }
    await expectSecondRun(peer, from)
  })
})

/** Only what changed comes in place of what is there, and nothing of those who signed in here. */
async function expectSecondRun({ sql }: Peer, from: string) {
  await sql.unsafe(`update "user" set name = 'Changed' where email ~ 'person-[13]@'`)
  const { summary, left } = await movePeer(service!, from, { isSince: true })
  expect([...new Set(left.map(({ reason }) => reason))]).toEqual(['CHANGED_HERE'])
  expect(summary.stored).toMatchObject({ user: 1, organization: 0, session: 0 })
  const rows = await service!.deps.sql`select name from users where email ~ 'person-[13]@' order by email`
  expect(rows).toEqual([{ name: 'Changed' }, { name: 'Person 3' }])
}

it('tables in the plural and columns in snake case are found by themselves, and others by a map', async () => {
  const peer = await startPeer('1.2.8', snake)
  stops.push(peer.stop)
  await service?.stop()
  service = await createTestService()
  await ask(peer.handler, '/sign-up/email', { email: 'ann@example.com', password: passwordOf(0), name: 'Ann' })
  const { from } = peer
  expect((await movePeer(service!, from)).summary.stored).toMatchObject({ user: 1, account: 1, session: 1 })
  await peer.sql.unsafe('alter table users rename to people')
  await peer.sql.unsafe('alter table people rename name to full_name')
  await expect(movePeer(service!, from)).rejects.toThrow('No table of users in the schema public')
  await expect(movePeer(service!, from, { map: { user: { table: 'people' } } })).rejects.toThrow('no column for name')
  const map = { user: { table: 'people', columns: { name: 'full_name' } } }
  const wrong: readonly [MapFile, string][] = [
    [{ users: { table: 'people' } }, 'names users, but there are only user, account'],
    [{ ...map, account: { table: 'acounts' } }, 'there is no table acounts'],
    [{ ...map, account: { columns: { password: 'pasword' } } }, 'the table accounts has no such column'],
    [{ ...map, account: { columns: { pasword: 'password' } } }, 'only these are read: id'],
  ]
  for (const [names, said] of wrong) await expect(movePeer(service!, from, { map: names })).rejects.toThrow(said)
  expect((await movePeer(service!, from, { map })).summary.present).toMatchObject({ user: 1, account: 1 })
})
