import { connect } from '../db/connect.ts'
import type { ContenderName } from './contenders.ts'
import { make, Person, type Request, type Server } from './person.ts'

export interface Scenario {
  readonly name: string
  /** What the page calls it. */
  readonly title: string
  readonly connections: number
  /** The least that any service does for it (servers/limit.js). */
  readonly limit?: 'session' | 'hello' | 'hash'
  readonly cookieCache?: true
  /** Each request is sent once; else they are sent again and again until a round is over. */
  readonly isOnce?: true
  /** Who takes part; usually the service and its peers. */
  readonly contenders?: readonly ContenderName[]
  /** What others ask for at the same time. Only the waits are of interest then. */
  readonly meanwhile?: {
    readonly connections: number
    readonly prepare: (server: Server, size: Size) => Promise<readonly Request[]>
  }
  /** Fills a new database; gives what makes the requests of each round. */
  readonly prepare: (server: Server, size: Size) => Promise<() => Promise<readonly Request[]>>
  /** Whether the body of an answer is what was asked for. */
  readonly isRight: (body: never, size: Size) => boolean
}

/** How much there is; less in the test of these requests. */
export interface Size {
  /**
   * Different people, or devices of one, make the requests: what a service shares between equal requests that arrive
   * together does not help it.
   */
  readonly crowd: number
  /** Entries of a long list. */
  readonly entries: number
  /** Requests of a round of those that are sent once, as a multiple of the people who send them. */
  readonly times: number
}

export const wholeSize: Size = { crowd: 16, entries: 100, times: 60 }

const people = (server: Server, count: number) => make(count, () => new Person(server).signUp())
const devices = (person: Person, count: number) => make(count, () => person.signInElsewhere())

interface Organization {
  readonly id: string
  readonly slug: string
}
let slugs = 0
const newOrganization = () => ({ name: 'Organization', slug: `organization-${Date.now().toString(36)}-${slugs++}` })
const createOrganization = (owner: Person) => owner.post<Organization>('/organization/create', newOrganization())
const invite = (owner: Person, { id }: Organization, email: string) =>
  owner.post<{ id: string }>('/organization/invite-member', { email, role: 'member', organizationId: id })

async function join(owner: Person, organization: Organization, person: Person): Promise<void> {
  const { id } = await invite(owner, organization, person.email)
  await person.post('/organization/accept-invitation', { invitationId: id })
}

/** The same requests in each round. */
const again = (requests: readonly Request[]) => () => Promise.resolve(requests)

interface SessionAnswer {
  readonly session?: { readonly userId: string; readonly token: string }
  readonly user?: { readonly id: string }
}
const isSession = ({ session, user }: SessionAnswer) =>
  session !== undefined && session.token !== '' && session.userId === user?.id
const isSignedIn = ({ user }: SessionAnswer) => Boolean(user?.id)

const getSession = async (server: Server, { crowd }: Size) =>
  again((await people(server, crowd)).map((person) => person.request('GET', '/get-session')))

async function signIns(server: Server, { crowd }: Size): Promise<readonly Request[]> {
  const known = await people(server, crowd)
  return known.map((person) => new Person(server).request('POST', '/sign-in/email', person.signInFields()))
}

/** A number of them instead of a time: of those who hash slowly, no answer would come within a short round. */
const signIn = (width: number, count: number): Scenario => ({
  name: `sign-in-${width}`,
  title: `sign-in, ${width} at once`,
  connections: width,
  limit: 'hash',
  isOnce: true,
  prepare: async (server, size) => {
    const requests = await signIns(server, size)
    return again(Array.from({ length: count }, (_, n) => requests[n % requests.length]!))
  },
  isRight: isSignedIn,
})

/** Somebody in as many organizations as no limit allows, each with metadata as long as it may be. */
async function fillLists(server: Server): Promise<readonly Request[]> {
  const person = await new Person(server).signUp()
  const sql = connect(server.database, { connections: 1, prepare: true })
  await sql`
    insert into organizations (id, name, slug, metadata)
    select 'large-' || n, 'Large', 'large-' || n, json_build_object('text', repeat('x', 15000))
    from generate_series(1, 1500) n
  `
  await sql`
    insert into members (id, organization_id, user_id, roles)
    select 'large-' || n, 'large-' || n, u.id, '{owner}'
    from generate_series(1, 1500) n
    join users u on u.email = ${person.email}
  `
  await sql.end()
  // Each asks for another part: what is the same could share an answer.
  return Array.from({ length: 40 }, (_, n) => person.request('GET', `/organization/list?offset=${n}`))
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'get-session',
    title: 'get-session',
    connections: 16,
    limit: 'session',
    prepare: getSession,
    isRight: isSession,
  },
  {
    name: 'get-session-cached',
    title: 'get-session from the cookie cache',
    connections: 16,
    limit: 'hello',
    cookieCache: true,
    prepare: async (server, { crowd }) => {
      const known = await people(server, crowd)
      for (const person of known) await person.get('/get-session')
      const without = known.filter((person) => !person.has('session_data')).length
      if (without > 0) throw new Error(`${without} of ${crowd} people got no cookie to cache from ${server.name}`)
      return again(known.map((person) => person.request('GET', '/get-session')))
    },
    isRight: isSession,
  },
  signIn(1, 16),
  signIn(8, 40),
  signIn(32, 96),
  {
    name: 'sign-up',
    title: 'sign-up, 8 at once',
    connections: 8,
    limit: 'hash',
    isOnce: true,
    prepare: (server) =>
      Promise.resolve(() => {
        const newcomers = Array.from({ length: 40 }, () => new Person(server))
        return Promise.resolve(newcomers.map((one) => one.request('POST', '/sign-up/email', one.signUpFields())))
      }),
    isRight: isSignedIn,
  },
  {
    name: 'list-sessions',
    title: 'list-sessions (16)',
    connections: 16,
    prepare: async (server, { crowd }) => {
      const person = await new Person(server).signUp()
      const others = await devices(person, crowd - 1)
      return again([person, ...others].map((device) => device.request('GET', '/list-sessions')))
    },
    isRight: (body: readonly unknown[], { crowd }) => body.length === crowd,
  },
  {
    name: 'list-organizations',
    title: 'organization/list (10)',
    connections: 16,
    prepare: async (server, { crowd }) => {
      const known = await people(server, crowd)
      for (const person of known) await make(10, () => createOrganization(person))
      return again(known.map((person) => person.request('GET', '/organization/list')))
    },
    isRight: (body: readonly Organization[]) => body.length === 10 && body.every(({ slug }) => slug),
  },
  {
    name: 'get-full-organization',
    title: 'get-full-organization (100 members)',
    connections: 16,
    prepare: async (server, { entries }) => {
      const owner = await new Person(server).signUp()
      const organization = await createOrganization(owner)
      const others = await people(server, entries - 1)
      for (const person of others) await join(owner, organization, person)
      const path = `/organization/get-full-organization?organizationId=${organization.id}`
      return again([owner, ...others].map((person) => person.request('GET', path)))
    },
    isRight: (
      { members }: { readonly members: readonly { readonly user: { readonly email: string } }[] },
      { entries },
    ) => members.length === entries && members.every(({ user }) => user.email),
  },
  {
    name: 'list-invitations',
    title: 'list-invitations (100)',
    connections: 16,
    prepare: async (server, { crowd, entries }) => {
      const owner = await new Person(server).signUp()
      const organization = await createOrganization(owner)
      await make(entries, (n) => invite(owner, organization, `invited-${n}@example.com`))
      const path = `/organization/list-invitations?organizationId=${organization.id}`
      return again((await devices(owner, crowd)).map((device) => device.request('GET', path)))
    },
    isRight: (body: readonly { readonly email: string }[], { entries }) =>
      body.length === entries && body.every(({ email }) => email),
  },
  {
    name: 'create-organization',
    title: 'organization/create',
    connections: 8,
    isOnce: true,
    // New people in each round, because how many organizations somebody is in already is part of the work.
    prepare: (server, { crowd, times }) =>
      Promise.resolve(async () => {
        const owners = await people(server, crowd)
        return Array.from({ length: crowd * times }, (_, n) =>
          owners[n % owners.length]!.request('POST', '/organization/create', newOrganization()),
        )
      }),
    isRight: ({ id }: Organization) => id !== '',
  },
  {
    name: 'accept-invitation',
    title: 'accept-invitation',
    connections: 8,
    isOnce: true,
    prepare: (server, { crowd, times }) =>
      Promise.resolve(async () => {
        const owner = await new Person(server).signUp()
        const invited = await people(server, crowd)
        const perOrganization = await make(times, async () => {
          const organization = await createOrganization(owner)
          return make(crowd, async (n) => {
            const { id } = await invite(owner, organization, invited[n]!.email)
            return invited[n]!.request('POST', '/organization/accept-invitation', { invitationId: id })
          })
        })
        return perOrganization.flat()
      }),
    isRight: ({ invitation }: { readonly invitation: { readonly status: string } }) => invitation.status === 'accepted',
  },
  {
    name: 'has-permission',
    title: 'has-permission',
    connections: 16,
    prepare: async (server, { crowd }) => {
      const owner = await new Person(server).signUp()
      const { id } = await createOrganization(owner)
      const asked = { organizationId: id, permissions: { member: ['create'] } }
      return again(
        (await devices(owner, crowd)).map((device) => device.request('POST', '/organization/has-permission', asked)),
      )
    },
    isRight: ({ success }: { readonly success: boolean }) => success,
  },
  {
    name: 'get-session-beside-sign-ins',
    title: 'get-session while 32 sign-ins run',
    connections: 1,
    // Version 1.2 hashes on its only thread: it answered nobody else within ten seconds.
    contenders: ['ours', 'peer-1.7'],
    prepare: getSession,
    meanwhile: { connections: 32, prepare: signIns },
    isRight: isSession,
  },
  {
    name: 'get-session-beside-large-answers',
    title: 'get-session while one person keeps 40 large answers in flight',
    connections: 1,
    contenders: ['ours'],
    prepare: getSession,
    meanwhile: { connections: 40, prepare: fillLists },
    isRight: isSession,
  },
]
