import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { checkService } from '../../process/check.ts'
import { at } from '../../testing/ha/readers.ts'
import { type Replicated, startReplicated } from '../../testing/ha/replicated.ts'
import { machine, ownKey } from '../../testing/machines.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { done } from '../../testing/organizations.ts'
import { serviceOn, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

vi.setConfig({ testTimeout: 120_000 * slack, hookTimeout: 200_000 * slack })

let servers: Replicated
let service: TestService
/** Its pooler leads to a standby: what holds the lock of the primary, and was not promoted. */
let misled: TestService
beforeAll(async () => {
  servers = await startReplicated()
  service = await serviceOn(servers.primary.url, { DATABASE_URL: servers.primary.url })
  misled = await serviceOn(servers.replica.url, { DATABASE_URL: servers.replica.url })
})
afterAll(async () => {
  await Promise.all([service, misled].map((one) => one?.stop()))
  await servers.stop()
})

beforeEach(() => servers.holdBack(0))

/** Each way to be known, with what ends it. */
const ways = {
  session: async () => {
    const person = await verifiedPerson(service)
    const visitor = at(misled, { ...person, cookies: new Map(person.cookies) })
    return { visitor, atPrimary: person, end: () => person.post('/sign-out') }
  },
  key: async () => {
    const person = await verifiedPerson(service)
    const { id, token } = await ownKey(person)
    const atPrimary = machine(service, token)
    return { visitor: machine(misled, token), atPrimary, end: () => person.post('/key/revoke', { keyId: id }) }
  },
}

const refused = { status: 503, retryAfter: '1', code: '25006' }

/** What a caller is told, and why, as the log has it. */
async function answerTo(visitor: ReturnType<typeof machine>): Promise<typeof refused> {
  const { status, headers, body } = await visitor.get('/organization/list')
  expect(body.code).toBe('SERVICE_UNAVAILABLE')
  const { err } = misled.logged.at(-1) as { err?: { code: string } }
  return { status, retryAfter: headers.get('retry-after') ?? '', code: err?.code ?? '' }
}

it.each(Object.entries(ways))('a standby answers for no %s: one that ended is not let in', async (_name, make) => {
  const { visitor, atPrimary, end } = await make()
  await servers.caughtUp()
  servers.holdBack(600)
  await done(end())
  expect(await answerTo(visitor)).toEqual(refused)
  expect((await atPrimary.get('/organization/list')).status).toBe(401)
})

it.each(Object.entries(ways))('a standby answers for no %s: a new one is not signed out', async (_name, make) => {
  await servers.caughtUp()
  servers.holdBack(600)
  const { visitor, atPrimary } = await make()
  expect(await answerTo(visitor)).toEqual(refused)
  expect((await atPrimary.get('/organization/list')).status).toBe(200)
})

it('a service at a standby is not ready, and the log says why', async () => {
  expect((await misled.visitor().get('/ready')).status).toBe(503)
  const line = misled.logged.find(({ migration }) => migration !== undefined)
  expect(line).toMatchObject({ err: { code: '25006' } })
})

it('a check of the settings says that the database is a standby', async () => {
  const env = { DATABASE_URL: servers.replica.url, SECRET: 'Zq7Wc3Vn9Xk2Lm5Rt8Yb4Hd6Fg1Js0Pa' }
  const { trials } = await checkService({ env, cwd: temporaryFolder('check') })
  expect(trials).toContainEqual({
    name: 'database',
    status: 'problem',
    message: 'it is a standby, which takes no writes: DATABASE_URL has to name the primary',
  })
})

it('whoever is nobody is still told so by a service at a standby', async () => {
  const { status, body } = await misled.visitor().get('/get-session')
  expect([status, body]).toEqual([200, null])
})
