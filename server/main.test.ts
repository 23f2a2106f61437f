import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  applyMigrations,
  ConfigError,
  connect,
  createApp,
  createLog,
  createMailTransport,
  createParts,
  parseConfig,
  startDispatcher,
} from './main.ts'
import { emptyDatabase, patience } from './testing/database.ts'
import { testSecret } from './testing/settings.ts'

let empty: Awaited<ReturnType<typeof emptyDatabase>>
beforeAll(async () => {
  empty = await emptyDatabase()
})
afterAll(() => empty.drop())

it('is a function from request to response, made from settings and parts, that listens nowhere', async () => {
  const config = parseConfig({ SECRET: testSecret, LOG_LEVEL: 'silent', BASE_PATH: '/auth' })
  const log = await createLog(config)
  expect(await applyMigrations(empty.database, log)).not.toEqual([])
  const sql = connect(empty.database, { connections: 2, prepare: true, deadlines: patience })
  const app = createApp({ ...createParts(config, log), sql })
  const signUp = await app.request('http://localhost:4100/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.com', name: 'Ann', password: 'correct horse battery staple' }),
  })
  const cookie = signUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const session = await app.request('http://localhost:4100/auth/get-session', { headers: { cookie } })
  expect([signUp.status, session.status]).toEqual([200, 200])
  expect(await session.json()).toMatchObject({ user: { email: 'ann@example.com' }, session: { ipAddress: '' } })
  await sql.end()
})

it('answers the preflight of a trusted page in another Hono app too, which keeps its own paths', async () => {
  const settings = {
    SECRET: testSecret,
    LOG_LEVEL: 'silent',
    TRUSTED_ORIGINS: 'https://app.test',
  }
  const config = parseConfig(settings)
  const sql = connect(empty.database, { connections: 2, prepare: true, deadlines: patience })
  const app = createApp({ ...createParts(config, await createLog(config)), sql })
  const other = new Hono().route('/', app).notFound((c) => c.text('not ours', 404))
  const headers = { origin: 'https://app.test', 'access-control-request-method': 'POST' }
  const preflight = await other.request('http://localhost:4100/api/auth/sign-in/email', { method: 'OPTIONS', headers })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.test'])
  const elsewhere = await other.request('http://localhost:4100/elsewhere', { method: 'OPTIONS', headers })
  expect([elsewhere.status, await elsewhere.text()]).toEqual([404, 'not ours'])
  await sql.end()
})

it('sends its mails by a function, when it is told to', async () => {
  const sent: object[] = []
  const settings = {
    SECRET: testSecret,
    LOG_LEVEL: 'silent',
    SEND_VERIFICATION_ON_SIGN_UP: 'on',
  }
  const config = parseConfig(settings, { sendMail: (message) => void sent.push(message) })
  const log = await createLog(config)
  const parts = {
    ...createParts(config, log),
    sql: connect(empty.database, { connections: 2, prepare: true, deadlines: patience }),
  }
  await createApp(parts).request('http://localhost:4100/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'bob@example.com', name: 'Bob', password: 'correct horse battery staple' }),
  })
  const transport = await createMailTransport(config, log)
  const dispatcher = startDispatcher({ ...parts, transport: transport! })
  await expect
    .poll(() => sent)
    .toMatchObject([{ to: 'bob@example.com', text: expect.stringContaining('/verify-email?') }])
  await dispatcher.stop()
  await parts.sql.end()
})

it('tells wrong settings apart from every other error', () => {
  expect(() => parseConfig({ PORT: 'x' })).toThrow(ConfigError)
})
