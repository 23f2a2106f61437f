import { betterAuth } from 'better-auth'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { getMigrations } from 'better-auth/db'
import { admin, bearer, organization } from 'better-auth/plugins'
import { betterAuth as newestAuth } from 'better-auth-1.7'
import { createAuthClient as createNewestClient } from 'better-auth-1.7/client'
import { organizationClient as newestOrganizationClient } from 'better-auth-1.7/client/plugins'
import { getMigrations as newestMigrations } from 'better-auth-1.7/db/migration'
import * as newest from 'better-auth-1.7/plugins'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { connectForMigration, type Driver } from '../../../db/connect.ts'
import { betterAuthPool } from '../../../testing/better-auth-pool.ts'
import { emptyDatabase, settingsOf } from '../../../testing/database.ts'
import { movedOrganizations, movedUsers } from '../../../testing/rounds.ts'
import { createTestService, type TestService } from '../../../testing/service.ts'
import type { LeftOut } from '../check-item.ts'
import { importRecords } from '../import-records.ts'
import { openSource } from '../open-source.ts'
import type { MapFile } from './names.ts'

// better-auth hashes each password in JavaScript, which takes a good part of a second.
vi.setConfig({ testTimeout: 3_600_000 })

const secret = 'a secret of better-auth, long enough'
const base = 'http://localhost:3999/api/auth'
const common = {
  secret,
  baseURL: 'http://localhost:3999',
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  emailAndPassword: { enabled: true },
}
const snake = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: { modelName: 'sessions', fields: { userId: 'user_id', expiresAt: 'expires_at', ipAddress: 'ip_address' } },
  account: { modelName: 'accounts', fields: { userId: 'user_id', providerId: 'provider_id', accountId: 'account_id' } },
}

type Fetch = (request: Request) => Promise<Response>
type Answer = { readonly status: number; readonly body: Record<string, never>; readonly cookie: string }

async function ask(handler: Fetch, path: string, body?: object, cookie = ''): Promise<Answer> {
  const origin = 'http://localhost:3999'
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const headers = { 'content-type': 'application/json', origin, cookie }
  const answer = await handler(new Request(`${base}${path}`, { ...init, headers }))
  const text = await answer.text()
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text), cookie: cookies.join('; ') }
}

/** A real server of that version on PostgreSQL. */
async function startPeer(version: '1.2.8' | 'newest', renamed: object = {}) {
  const { database, drop } = await emptyDatabase()
  const pool = betterAuthPool(database)
  const options = { ...common, ...renamed, database: pool }
  const handler = await (version === '1.2.8' ? oldHandler(options) : newestHandler(options))
  const stop = async () => {
    await pool.end()
    await drop()
  }
  return { database, sql: pool.sql, handler, stop }
}

async function oldHandler(given: object): Promise<Fetch> {
  const options = { ...given, plugins: [organization({ teams: { enabled: true } }), admin(), bearer()] }
  await (await getMigrations(options as never)).runMigrations()
  return betterAuth(options as never).handler
}

async function newestHandler(given: object): Promise<Fetch> {
  const plugins = [newest.organization({ teams: { enabled: true } }), newest.admin(), newest.bearer()]
  const options = { ...given, plugins }
  await (await newestMigrations(options as never)).runMigrations()
  return newestAuth(options as never).handler as Fetch
}

const passwordOf = (n: number) => `the old password ${n}`

/** Fills it through its own calls; only roles, bans and identities are written as its plugins would. */
async function fill({ handler, sql }: Awaited<ReturnType<typeof startPeer>>) {
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

async function move(from: string, options: { since?: string; map?: MapFile } = {}) {
  const left: LeftOut[] = []
  const { keys, passwords } = service!.deps
  const opened = await openSource({
    kind: 'better-auth',
    from,
    schema: 'public',
    map: options.map ?? {},
    since: options.since ?? null,
  })
  const sql: Driver = connectForMigration(service!.database)
  try {
    const parts = { keys, now: new Date().toISOString(), hash: (text: string) => passwords.hash(text) }
    const run = { isDryRun: false, batch: null, isUpdating: options.since !== undefined, parts }
    const summary = await importRecords(sql, opened.source, { ...run, onLeftOut: (row) => left.push(row) })
    return { summary, left }
  } finally {
    await opened.close()
    await sql.end()
  }
}

type Client = readonly [typeof createAuthClient, () => unknown]
type Rows = readonly { id: string }[] | undefined
interface OrganizationCalls {
  readonly organization: { getFullOrganization(input: object): Promise<{ data: unknown }> }
}

/** What the unmodified client of that version reads of an organization. */
async function readThrough([create, plugin]: Client, fetch: Fetch, cookie: string, slug: string) {
  const client: unknown = create({
    baseURL: 'http://localhost:3999',
    plugins: [plugin() as ReturnType<typeof organizationClient>],
    fetchOptions: {
      headers: { cookie, origin: 'http://localhost:3999' },
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

describe.each(['1.2.8', 'newest'] as const)('better-auth %s', (version) => {
  it('comes with everyone, who sign in with the old password and find the same organizations', async () => {
    const peer = await startPeer(version)
    stops.push(peer.stop)
    await service?.stop()
    service = await createTestService({ BASE_URL: 'http://localhost:3999', RATE_LIMIT: 'off' })
    const people = await fill(peer)
    const from = settingsOf(peer.database)['DATABASE_URL']!
    const { summary, left } = await move(from)
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

/** Only what changed comes in place of what is there. */
async function expectSecondRun({ sql }: Awaited<ReturnType<typeof startPeer>>, from: string) {
  const since = new Date(Date.now() + 60_000).toISOString()
  await sql.unsafe(`update "user" set name = 'Changed', "updatedAt" = '${since}' where email = 'person-3@example.com'`)
  const { summary, left } = await move(from, { since })
  expect(left).toEqual([])
  expect(summary.stored).toMatchObject({ user: 1, account: 0, organization: 0 })
  const [row] = await service!.deps.sql<{ name: string }[]>`select name from users where email = 'person-3@example.com'`
  expect(row?.name).toBe('Changed')
}

it('tables in the plural and columns in snake case are found by themselves, and others by a map', async () => {
  const peer = await startPeer('1.2.8', snake)
  stops.push(peer.stop)
  await service?.stop()
  service = await createTestService()
  await ask(peer.handler, '/sign-up/email', { email: 'ann@example.com', password: passwordOf(0), name: 'Ann' })
  const from = settingsOf(peer.database)['DATABASE_URL']!
  expect((await move(from)).summary.stored).toMatchObject({ user: 1, account: 1, session: 1 })
  await peer.sql.unsafe('alter table users rename to people')
  await peer.sql.unsafe('alter table people rename name to full_name')
  await expect(move(from)).rejects.toThrow('No table of users in the schema public')
  await expect(move(from, { map: { user: { table: 'people' } } })).rejects.toThrow('no column for name')
  const map = { user: { table: 'people', columns: { name: 'full_name' } } }
  expect((await move(from, { map })).summary.present).toMatchObject({ user: 1, account: 1 })
})
