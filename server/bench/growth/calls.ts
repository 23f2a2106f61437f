import { createHash } from 'node:crypto'
import { createKeys } from '../../crypto/keys.ts'
import { emailOf, membersEach, type Size, tokenOf } from './fill.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** What a call is asked by whom: `user` is another one each time, `serial` a new number. */
export interface MeasuredCall {
  readonly name: string
  /** Requests a round; of a call that hashes a password fewer. */
  readonly times?: number
  readonly request: (user: number, serial: string) => readonly [method: 'GET' | 'POST', path: string, body?: object]
  /** Who asks, where it is not the user themselves. */
  readonly by?: (user: number) => number | null
}

export const password = 'correct horse battery 1'
const admin = () => 1
/** What generated names end with. */
const md5 = (user: number): string => createHash('md5').update(String(user)).digest('hex')
const ownerOf = (user: number): number => (organizationNumber(user) - 1) * membersEach + 1
const organizationNumber = (user: number): number => Math.ceil(user / membersEach)
const organizationOf = (user: number): string => `org-${organizationNumber(user)}`
const get =
  (path: (user: number, serial: string) => string): MeasuredCall['request'] =>
  (user, serial) => ['GET', path(user, serial)]
const post =
  (path: string, body: (user: number, serial: string) => object): MeasuredCall['request'] =>
  (user, serial) => ['POST', path, body(user, serial)]

/** Every read of a person, an organization and an administrator, and the writes that are done most. */
export const measuredCalls = ({ users }: Size): readonly MeasuredCall[] => [
  { name: 'get-session', request: get(() => '/get-session') },
  { name: 'list-sessions', request: get(() => '/list-sessions') },
  { name: 'list-accounts', request: get(() => '/list-accounts') },
  { name: 'list-activity', request: get(() => '/list-activity?limit=50') },
  { name: 'token', request: get(() => '/token') },
  { name: 'organization/list', request: get(() => '/organization/list') },
  {
    name: 'organization/get-full-organization',
    request: get((user) => `/organization/get-full-organization?organizationId=${organizationOf(user)}`),
  },
  {
    name: 'organization/get-full-organization, the largest',
    request: get(() => '/organization/get-full-organization?organizationId=org-1'),
    by: admin,
  },
  { name: 'organization/list-members', request: get(() => '/organization/list-members?limit=10') },
  {
    name: 'organization/list-members, the largest, last page',
    request: get(() => '/organization/list-members?organizationId=org-1&limit=50&offset=9900'),
    by: admin,
  },
  { name: 'organization/get-active-member', request: get(() => '/organization/get-active-member') },
  { name: 'organization/list-roles', request: get(() => '/organization/list-roles') },
  { name: 'organization/list-teams', request: get(() => '/organization/list-teams') },
  {
    name: 'organization/list-team-members',
    request: get((user) => `/organization/list-team-members?teamId=team-${organizationNumber(user)}`),
    by: ownerOf,
  },
  { name: 'organization/list-invitations', request: get(() => '/organization/list-invitations'), by: ownerOf },
  { name: 'organization/list-user-invitations', request: get(() => '/organization/list-user-invitations') },
  { name: 'organization/list-activity', request: get(() => '/organization/list-activity?limit=50'), by: ownerOf },
  { name: 'key/list', request: get(() => '/key/list') },
  {
    name: 'organization/has-permission',
    request: post('/organization/has-permission', () => ({ permissions: { member: ['create'] } })),
  },
  {
    name: 'organization/check-slug',
    request: post('/organization/check-slug', (_user, serial) => ({ slug: `new-${serial}` })),
  },
  { name: 'admin/list-users, newest', request: get(() => '/admin/list-users?limit=50&sortBy=createdAt'), by: admin },
  {
    name: 'admin/list-users, one address',
    request: get((user) => `/admin/list-users?filterField=email&filterValue=${emailOf(user)}`),
    by: admin,
  },
  {
    name: 'admin/list-users, part of a name',
    request: get((user) => `/admin/list-users?searchField=name&searchValue=${md5(user).slice(8, 16)}`),
    by: admin,
  },
  // The worst that can be looked for: its parts are in every generated address.
  {
    name: 'admin/list-users, part of an address like all others',
    request: get((user) => `/admin/list-users?searchField=email&searchValue=on-${users - (user % 900)}@exam`),
    by: admin,
  },
  {
    name: 'admin/list-user-sessions',
    request: post('/admin/list-user-sessions', (user) => ({ userId: `user-${user}` })),
    by: admin,
  },
  { name: 'admin/list-audit-events, newest', request: get(() => '/admin/list-audit-events?limit=50'), by: admin },
  {
    name: 'admin/list-audit-events, of a user',
    request: get((user) => `/admin/list-audit-events?limit=50&userId=user-${user}`),
    by: admin,
  },
  {
    name: 'admin/list-audit-events, of an event',
    request: get(() => '/admin/list-audit-events?limit=50&event=sign-in-failed'),
    by: admin,
  },
  { name: 'update-user', request: post('/update-user', (_user, serial) => ({ name: `Person ${serial}` })) },
  {
    name: 'organization/create',
    request: post('/organization/create', (_user, serial) => ({
      name: 'New',
      slug: `new-${serial}`,
      keepCurrentActiveOrganization: true,
    })),
  },
  {
    name: 'organization/update',
    request: post('/organization/update', (user, serial) => ({
      organizationId: organizationOf(user),
      data: { name: serial },
    })),
    by: ownerOf,
  },
  {
    name: 'organization/create-team',
    request: post('/organization/create-team', (user, serial) => ({
      organizationId: organizationOf(user),
      name: serial,
    })),
    by: ownerOf,
  },
  {
    name: 'organization/invite-member',
    request: post('/organization/invite-member', (user, serial) => ({
      organizationId: organizationOf(user),
      email: `new-${serial}@example.com`,
      role: 'member',
    })),
    by: ownerOf,
  },
  { name: 'device/code', request: post('/device/code', () => ({ client_id: 'bench' })), by: () => null },
  {
    name: 'sign-in/email',
    times: 20,
    request: post('/sign-in/email', (user) => ({ email: emailOf(user), password })),
    by: () => null,
  },
  {
    name: 'sign-up/email',
    times: 20,
    request: post('/sign-up/email', (_user, serial) => ({ email: `new-${serial}@example.com`, name: 'New', password })),
    by: () => null,
  },
]

const cookie = 'postern.session_token'

/** Requests a round, each by another person: as many people at every size, so that as much of the database is in memory. */
const crowd = 150

/** The requests of one round, by people from everywhere in the tables. */
export function requestsOf(call: MeasuredCall, { users }: Size, secret: string, origin: string): readonly Request[] {
  const { cookie: signer } = createKeys([secret])
  const textOf = (user: number) => {
    const token = tokenOf(user)
    return encodeURIComponent(`${token}.${signer.sign(`cookie:${cookie}:${token}`).toString('base64')}`)
  }
  return Array.from({ length: call.times ?? crowd }, (_, turn) => {
    const user = membersEach + 1 + Math.floor((((turn % crowd) + 0.5) * (users - membersEach)) / crowd)
    const [method, path, body] = call.request(user, crypto.randomUUID())
    const asker = call.by ? call.by(user) : user
    return {
      method,
      path: `/api/auth${path}`,
      headers: {
        origin,
        ...(asker === null ? {} : { cookie: `${cookie}=${textOf(asker)}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }
  })
}
