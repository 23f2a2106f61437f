import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewestClient } from 'better-auth-1.7/client'
import { organizationClient as newestOrganizationClient } from 'better-auth-1.7/client/plugins'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  askPeer,
  type Fetch,
  movePeer,
  type Peer,
  type PeerVersion,
  peerOrigin,
  peerSecret,
  peerVersions,
  startPeer,
} from '../../../testing/better-auth-peer.ts'
import { fillPeer, type PeerCommunity } from '../../../testing/peer-community.ts'
import { movedOrganizations, movedUsers } from '../../../testing/rounds.ts'
import { createTestService, type TestService } from '../../../testing/service.ts'
import { slack } from '../../../testing/slack.ts'

// better-auth hashes each password in JavaScript, which takes a good part of a second.
vi.setConfig({ testTimeout: 7_200_000 * slack, hookTimeout: 7_200_000 * slack })

type Answer = Promise<{ readonly data: unknown }>
interface Calls {
  getSession(): Answer
  readonly organization: Readonly<
    Record<
      'list' | 'getFullOrganization' | 'listInvitations' | 'listTeams' | 'getActiveMember',
      (input?: object) => Answer
    >
  >
}

/** The unmodified client of that version, in the browser of somebody. */
function clientOf(version: PeerVersion, fetch: Fetch, cookie: string): Calls {
  const teams = { teams: { enabled: true as const } }
  const options = {
    baseURL: peerOrigin,
    fetchOptions: {
      headers: { cookie, origin: peerOrigin },
      customFetchImpl: (input: string | URL | Request, init?: RequestInit) => fetch(new Request(input, init)),
    },
  }
  const client: unknown =
    version === '1.2.8'
      ? createAuthClient({ ...options, plugins: [organizationClient(teams) as never] })
      : createNewestClient({ ...options, plugins: [newestOrganizationClient(teams)] })
  return client as Calls
}

/** What the person reads of themselves. */
const ownReads: readonly ((calls: Calls) => Answer)[] = [
  (calls) => calls.getSession(),
  (calls) => calls.organization.list(),
]
/** What the owner reads of the organization, which is the active one. */
const organizationReads: readonly ((calls: Calls, slug: string) => Answer)[] = [
  (calls, slug) => calls.organization.getFullOrganization({ query: { organizationSlug: slug } }),
  (calls) => calls.organization.getFullOrganization(),
  (calls) => calls.organization.listInvitations({ query: { status: 'all' } }),
  (calls) => calls.organization.listTeams(),
  (calls) => calls.organization.getActiveMember(),
]

/** The answer of the peer without what we tell otherwise: docs/applications.md. */
function agreed(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(agreed)
  if (typeof answer !== 'object' || answer === null || answer instanceof Date) return answer
  const { twoFactorEnabled: _, ...fields } = answer as Readonly<Record<string, unknown>>
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
    if (name === 'metadata' && typeof value === 'string') return [name, JSON.parse(value)]
    // With the organization, those that can still be answered.
    if (name === 'invitations') return [name, agreed((value as Invitation[]).filter(isPending))]
    return [name, agreed(value)]
  })
  return Object.fromEntries(entries)
}

interface Invitation {
  readonly status: string
}
const isPending = ({ status }: Invitation): boolean => status === 'pending'

/** Where the answers differ: what the peer says that we do not say, or say otherwise. Lists are compared by id. */
function differences(theirs: unknown, ours: unknown, path = ''): readonly string[] {
  if (Array.isArray(theirs)) {
    const [one, other] = [byId(theirs), byId(Array.isArray(ours) ? ours : [])]
    const size = one.length === other.length ? [] : [`${path}: ${one.length} became ${other.length}`]
    return [...size, ...one.flatMap((each, index) => differences(each, other[index], `${path}[]`))]
  }
  if (typeof theirs === 'object' && theirs !== null && !(theirs instanceof Date))
    return Object.entries(theirs).flatMap(([name, value]) =>
      differences(value, Reflect.get(Object(ours), name), `${path}.${name}`),
    )
  const [one, other] = [JSON.stringify(theirs), JSON.stringify(ours)]
  return one === other ? [] : [`${path}: ${one} became ${other}`]
}

const byId = (rows: readonly unknown[]): readonly unknown[] =>
  rows.toSorted((one, other) => idOf(one).localeCompare(idOf(other)))
const idOf = (row: unknown): string => String(Reflect.get(Object(row), 'id') ?? row)

describe.each(peerVersions)('who moves here from better-auth %s', (version) => {
  let peer: Peer
  let service: TestService
  let community: PeerCommunity
  let ours: Fetch
  beforeAll(async () => {
    peer = await startPeer(version)
    service = await createTestService({ BASE_URL: peerOrigin, RATE_LIMIT: 'off', IMPORTED_SECRET: peerSecret })
    ours = async (request) => service.app.fetch(request)
    community = await fillPeer(peer, { users: movedUsers, organizations: movedOrganizations })
  })
  afterAll(async () => {
    await service?.stop()
    await peer?.stop()
  })

  it('comes with everything', async () => {
    const { summary, left } = await movePeer(service, peer.from)
    expect([left, summary.different]).toEqual([[], []])
    const names = ['user', 'account', 'organization', 'team', 'member', 'invitation', 'session']
    const counted = names.map((name) => `(select count(*)::int from "${name}") as "${name}"`)
    const [counts] = await peer.sql.unsafe(`select ${counted.join(', ')}`)
    expect(summary.stored).toMatchObject(counts ?? {})
    expect(counts).toMatchObject({ user: movedUsers, organization: movedOrganizations })
  })

  it('stays signed in, and reads the same with the old cookie through the client of that version', async () => {
    const compare = async (cookie: string, read: (calls: Calls) => Answer) => {
      const { data: theirs } = await read(clientOf(version, peer.handler, cookie))
      const { data: own } = await read(clientOf(version, ours, cookie))
      return theirs === null ? ['the peer refused'] : differences(agreed(theirs), own)
    }
    for (const { email, cookie } of community.people.filter((person) => person.email !== community.banned))
      for (const read of ownReads) expect([email, await compare(cookie, read)]).toEqual([email, []])
    for (const { slug, owner } of community.organizations)
      for (const read of organizationReads)
        expect([slug, await compare(owner.cookie, (calls) => read(calls, slug))]).toEqual([slug, []])
  })

  it('signs in with the old password, unless banned', async () => {
    for (const { email, password } of community.people) {
      const { status } = await askPeer(ours, '/sign-in/email', { email, password })
      expect([email, status]).toEqual([email, email === community.banned ? 403 : 200])
    }
  })
})
