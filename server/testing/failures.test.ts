import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call, Group } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { edgeFailures, type FailureName } from '../../shared/errors.ts'
import { wireOf } from '../../shared/failure.ts'
import { createApp } from '../app.ts'
import { createTestService, type TestService, testPassword } from './service.ts'
import { createVisitor, type Reply } from './visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())

const ann = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword })
const withSettings = async (settings: Record<string, string>) => (await service.sibling(settings)).visitor()

/** How each listed failure of each call is reached. */
const ways: Record<string, Partial<Record<FailureName, () => Promise<Reply>>>> = {
  signUpEmail: {
    SIGN_UP_OFF: async () => (await withSettings({ SIGN_UP: 'off' })).post('/sign-up/email', ann()),
    INVALID_EMAIL: () => service.visitor().post('/sign-up/email', { ...ann(), email: 'ann@localhost' }),
    PASSWORD_TOO_SHORT: () => service.visitor().post('/sign-up/email', { ...ann(), password: '1234567' }),
    PASSWORD_TOO_LONG: () => service.visitor().post('/sign-up/email', { ...ann(), password: 'x'.repeat(129) }),
    USER_EXISTS: async () => {
      const { email } = await service.person()
      return service.visitor().post('/sign-up/email', { ...ann(), email: email.toUpperCase() })
    },
  },
  signInEmail: {
    EMAIL_PASSWORD_OFF: async () => (await withSettings({ EMAIL_PASSWORD: 'off' })).post('/sign-in/email', ann()),
    INVALID_EMAIL: () => service.visitor().post('/sign-in/email', { ...ann(), email: 'ann' }),
    WRONG_EMAIL_OR_PASSWORD: () => service.visitor().post('/sign-in/email', ann()),
    BANNED_USER: async () => {
      const { email } = await service.person()
      await ban(email)
      return service.visitor().post('/sign-in/email', { email, password: testPassword })
    },
    SESSION_NOT_CREATED_AT_SIGN_IN: async () => {
      const { email } = await service.person()
      // Banned between the two statements of the sign-in: while its password is being checked.
      const { passwords, config } = service.deps
      const verify: typeof passwords.verify = async (stored, password) => {
        await ban(email)
        return passwords.verify(stored, password)
      }
      const app = createApp({ ...service.deps, passwords: { ...passwords, verify } })
      return createVisitor(app, config).post('/sign-in/email', { email, password: testPassword })
    },
  },
  signOut: { NO_SESSION_TO_END: () => service.visitor().post('/sign-out') },
  updateUser: {
    EMAIL_NOT_EDITABLE: async () => (await service.person()).post('/update-user', { email: 'new@example.com' }),
  },
  getSession: {
    SESSION_NOT_READ: async () => {
      const person = await service.person()
      return withoutTable('sessions', () => person.get('/get-session'))
    },
  },
  revokeSession: {
    SESSION_NOT_FOUND: async () => (await service.person()).post('/revoke-session', { token: 'no-such-session' }),
  },
}

const atTheEdge: Record<string, () => Promise<Reply>> = {
  UNAUTHORIZED: () => service.visitor().get('/list-sessions'),
  INVALID_BODY: () => service.visitor().post('/sign-in/email', { email: 1 }),
  INVALID_QUERY: () => service.visitor().get('/error?error=%00'),
  INVALID_ORIGIN: () => service.visitor().post('/sign-out', {}, { origin: 'https://evil.example' }),
  INVALID_REDIRECT_TARGET: () =>
    service.visitor().post('/sign-in/email', { ...ann(), callbackURL: 'https://evil.example' }),
  NOT_FOUND: () => service.visitor().get('/no-such-call'),
  PAYLOAD_TOO_LARGE: () => service.visitor().post('/sign-in/email', { ...ann(), password: 'x'.repeat(65_536) }),
  UNSUPPORTED_MEDIA_TYPE: () => service.visitor().post('/sign-in/email', ann(), { 'content-type': 'text/plain' }),
  TOO_MANY_REQUESTS: async () => {
    const visitor = await withSettings({ RATE_LIMIT: 'on' })
    for (let attempt = 0; attempt < 3; attempt += 1) await visitor.post('/sign-in/email', ann())
    return visitor.post('/sign-in/email', ann())
  },
  INTERNAL_SERVER_ERROR: () => withoutTable('accounts', () => service.visitor().post('/sign-in/email', ann())),
  SERVICE_UNAVAILABLE: async () => {
    const leaving = await service.sibling()
    leaving.state.phase = 'draining'
    return leaving.visitor().get('/ready')
  },
}

const calls = Object.values(contract as Record<string, Group>).flatMap((group) => Object.entries(group))

const listed = calls.flatMap(([name, { failures }]) => failures.map((failure) => [name, failure] as const))
const guarded = calls.filter(([, { access }]) => access === 'session')

it.each(calls)('%s lists exactly the failures that have a way here', (name, { failures }) => {
  expect(Object.keys(ways[name] ?? {}).toSorted()).toEqual(failures.toSorted())
})

// That no other is answered is held by every visitor of the suite (check-answer.ts).
it.each(listed)('%s can answer %s', async (name, failure) => {
  expect(await ways[name]![failure]!()).toMatchObject(wire(failure))
})

it.each(guarded)('%s answers 401 without a body to who has no session, and sets nothing', async (_name, call) => {
  const reply = await request(call)
  expect(reply).toMatchObject({ status: 401, text: '', setCookies: [] })
  expect(reply.headers.get('content-type')).toBe('application/json')
})

describe('the edge', () => {
  it('has a way here for each of its failures', () => {
    expect(Object.keys(atTheEdge).toSorted()).toEqual([...edgeFailures].toSorted())
  })

  it.each(Object.keys(atTheEdge) as FailureName[])('can answer %s', async (failure) => {
    expect(await atTheEdge[failure]!()).toMatchObject(wire(failure))
  })
})

/** The least input that passes the schema: the session is asked for after the input was read. */
const request = ({ method, path }: Call): Promise<Reply> =>
  method === 'GET' ? service.visitor().get(path) : service.visitor().post(path, { token: 'x', email: 'x' })

function wire(failure: FailureName) {
  const { status, body } = wireOf(failure)
  return body === null ? { status, text: '' } : { status, body }
}

const ban = (email: string) => service.deps.sql`update users set banned = true where email = ${email}`

/** A fault that no outage explains: a table that is not there. */
async function withoutTable<T>(table: string, act: () => Promise<T>): Promise<T> {
  const { sql } = service.deps
  await sql`alter table ${sql(table)} rename to away`
  try {
    return await act()
  } finally {
    await sql`alter table away rename to ${sql(table)}`
  }
}
