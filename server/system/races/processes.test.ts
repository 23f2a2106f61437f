import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Sql } from '../../db/connect.ts'
import { openClone } from '../../testing/database.ts'
import { type ServiceProcess, startProcess } from '../../testing/process.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import type { Json } from '../../testing/visitor.ts'

let database: Database
let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql, close } = await openClone())
})
afterAll(() => close())

const post = (service: ServiceProcess | undefined, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${service?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const someone = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

describe('two processes on one database', () => {
  let services: ServiceProcess[]
  beforeAll(async () => {
    services = await Promise.all([startProcess(database), startProcess(database)])
  })
  afterAll(() => Promise.all(services.map((service) => service.kill())))

  it(`make one account of two sign-ups with one address, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const account = someone()
      const replies = await Promise.all(
        services.map((service, index) =>
          post(service, '/sign-up/email', { ...account, email: index ? account.email.toUpperCase() : account.email }),
        ),
      )
      expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 422])
      expect(await sql`select from users where email = ${account.email}`).toHaveLength(1)
    }
  })

  it(`extend one session together and agree on it, ${rounds} times`, enough, async () => {
    const { token }: Json = await (await post(services[0], '/sign-up/email', someone())).json()
    for (let round = 0; round < rounds; round += 1) {
      await sql`update sessions set expires_at = now() + interval '1 d'`
      const replies = await Promise.all(
        [...services, ...services].map((service) =>
          fetch(`${service.url}/get-session`, { headers: { authorization: `Bearer ${token}` } }),
        ),
      )
      const views: Json[] = await Promise.all(replies.map((reply) => reply.json()))
      expect(new Set(views.map(({ session }) => session.token))).toEqual(new Set([token]))
      for (const { session } of views)
        expect(Date.parse(session.expiresAt)).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
    }
  })
})

describe('two processes with limits', () => {
  let services: ServiceProcess[]
  beforeAll(async () => {
    const settings = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' }
    services = await Promise.all([startProcess(database, settings), startProcess(database, settings)])
  })
  afterAll(() => Promise.all(services.map((service) => service.kill())))

  it('let ten of 200 parallel guesses at one account through, wherever they come from', async () => {
    const account = someone()
    await post(services[0], '/sign-up/email', account, { 'x-forwarded-for': '198.51.100.1' })
    const guesses = Array.from({ length: 200 }, (_, index) =>
      post(
        services[index % 2],
        '/sign-in/email',
        { ...account, password: 'wrong' },
        { 'x-forwarded-for': `203.0.113.${index}` },
      ),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    const [through = 0, refused = 0, late = 0] = [401, 429, 503].map(
      (each) => statuses.filter((status) => status === each).length,
    )
    expect(through + refused + late).toBe(200)
    // On a slow machine some find no connection in time: also refused, and one of them may have had its turn.
    expect([through <= 10, through + late >= 10]).toEqual([true, true])
  })
})

describe('what a process writes', () => {
  it('holds nothing that was typed or issued, on its good days and on its bad ones', async () => {
    const service = await startProcess(database, { LOG_LEVEL: 'trace', TRUSTED_ORIGINS: 'http://app.test' })
    const canary = (word: string) => `canary-${word}-${randomUUID()}`
    const [name, password, agent, query] = ['name', 'password', 'agent', 'query'].map(canary)
    const email = `${canary('email')}@example.com`
    const headers = { 'user-agent': agent ?? '', referer: `http://app.test/${query}` }
    const issued: string[] = []
    const call = async (path: string, body: object, more: Record<string, string> = {}) => {
      const reply = await post(service, `${path}?q=${query}`, body, { ...headers, ...more })
      issued.push(...reply.headers.getSetCookie().map((line) => line.slice(line.indexOf('=') + 1, line.indexOf(';'))))
      const { token } = (await reply.json().catch(() => ({}))) as { token?: string }
      return token ?? ''
    }
    const user = { email, name, password }
    const token = await call('/sign-up/email', user)
    issued.push(token, await call('/sign-in/email', user), await call('/sign-in/email', { ...user, rememberMe: false }))
    const bearer = { authorization: `Bearer ${token}` }
    await call('/sign-in/email', { ...user, password: `${password} wrong` })
    await call('/sign-in/email', { ...user, email: `${email}@` })
    await call('/update-user', { name: `${name} again` }, bearer)
    await call('/revoke-session', { token: canary('token') }, bearer)
    await post(service, '/sign-in/email', user, { ...headers, 'content-type': 'text/plain' })
    // The database's own words about a refused row hold the whole row.
    for (const table of ['sessions', 'accounts', 'users']) {
      await sql`alter table ${sql(table)} add constraint full_disk check (id = '') not valid`
      await call('/sign-in/email', user)
      await call('/sign-up/email', { ...user, email: `x${email}` })
      await call('/update-user', { name: `${name} again` }, bearer)
      await sql`alter table ${sql(table)} drop constraint full_disk`
    }
    await sql`alter table sessions rename to away`
    await fetch(`${service.url}/get-session?q=${query}`, { headers: { ...headers, ...bearer } })
    await sql`alter table away rename to sessions`
    await call('/sign-out', {}, bearer)
    await service.kill()
    const written = service.output()
    expect(written).toContain('"level":50')
    expect(written).toContain('"route":"/sign-in/email","status":401')
    const secrets = [name, password, agent, query, email, token, ...issued].filter(Boolean) as string[]
    expect(secrets.length).toBeGreaterThan(12)
    expect(secrets.filter((text) => written.includes(text))).toEqual([])
    expect(written).not.toMatch(/canary-|argon2id/)
  })
})
