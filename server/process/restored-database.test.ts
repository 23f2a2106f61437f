import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { parseConfig } from '../config.ts'
import { connect, type Sql } from '../db/connect.ts'
import { isOriginalDatabase, recordCopy } from '../db/database-copies.ts'
import { parkMail } from '../db/outbox.ts'
import { adminOf } from '../testing/admins.ts'
import { patience, settingsOf } from '../testing/database.ts'
import { done, found } from '../testing/organizations.ts'
import { leaveLink } from '../testing/outbox.ts'
import { patient } from '../testing/process.ts'
import { restoreIn, secondCluster } from '../testing/second-cluster.ts'
import { testSecret } from '../testing/settings.ts'
import { slack } from '../testing/slack.ts'
import { type MailServer, startMailServer } from '../testing/smtp.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import { cookieHeader } from '../testing/visitor.ts'
import { createLog } from './log.ts'
import { migrateDatabase } from './serve.ts'
import { type Service, startService } from './start.ts'

// Databases are dumped and restored.
vi.setConfig({ testTimeout: 120_000 * slack })

interface Listed {
  readonly events: readonly { readonly id: string; readonly event: string }[]
  readonly next: string | null
  readonly latest: string
}

let cluster: Awaited<ReturnType<typeof secondCluster>>
let mails: MailServer
let sql: Sql
let waiting: readonly string[]
/** Where a reader of the original stands. */
let cursor: string
const running: Service[] = []

/** Takes so many numbers of transactions. */
const goOn = async (on: Sql, times: number) => {
  for (let time = 0; time < times; time += 1) await on`select pg_current_xact_id()`
}
const number = async (on: Sql) => {
  const [row] = await on<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  return Number(row!.xid)
}

const original = useTestService({ SECRET: testSecret })
const admin = useMade(() => adminOf(original))
beforeAll(async () => {
  cluster = await secondCluster()
  mails = await startMailServer()
  sql = connect(cluster.database, { connections: 2, prepare: true, deadlines: patience })
  await goOn(original.deps.sql, Math.max(0, (await number(sql)) + 1500 - (await number(original.deps.sql))))
  const { latest }: Listed = await done(admin.get('/admin/list-audit-events?limit=1'))
  cursor = latest
  for (let time = 0; time < 3; time += 1) await found(original)
  waiting = [await leaveLink(original), await leaveLink(original)]
  await parkMail(original.deps.sql, { id: await leaveLink(original), attempts: 0, reason: 'SMTP: 550' })
  await restoreIn(cluster.database, original.database)
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop({ notice: 0 })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await cluster.stop()
  await mails.stop()
})

const settings = () => ({
  ...settingsOf(cluster.database),
  SECRET: testSecret,
  RATE_LIMIT: 'off',
  DATABASE_POOL: '4',
  PORT: '0',
  SMTP_URL: mails.url,
  MAIL_FROM: 'no-reply@example.com',
})

/** Starts an instance on the copy; `logged` are its lines. */
async function start() {
  const logged: Record<string, unknown>[] = []
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trim().split('\n')) logged.push(JSON.parse(line) as Record<string, unknown>)
  })
  const config = parseConfig(settings())
  const service = await startService(config, await createLog({ ...config, LOG_FORMAT: 'json' }, stream), patient)
  running.push(service)
  const ask = async (path: string, body?: object) => {
    const headers = {
      cookie: cookieHeader(admin.cookies),
      origin: config.BASE_URL.origin,
      'content-type': 'application/json',
    }
    const reply = await fetch(`${service.url}/api/auth${path}`, {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    return { status: reply.status, body: (await reply.json()) as Listed & { code?: string; message?: string } }
  }
  return { logged, ask, told: () => logged.filter(({ msg }) => String(msg).startsWith('this database is a copy')) }
}

it('sends no mail of the original, says so once however many start, sends its own, and all once it is told to', async () => {
  const both = await Promise.all([start(), start()])
  expect(both.flatMap(({ told }) => told())).toMatchObject([
    { level: 40, held: 2, msg: expect.stringContaining('postern migrate --release-mails') },
  ])
  const [{ ask }] = both
  const { body } = await ask('/get-session')
  const { email } = (body as unknown as { user: { email: string } }).user
  expect((await ask('/forget-password', { email })).status).toBe(200)
  await expect.poll(() => mails.mails.map(({ to }) => to)).toEqual([[email]])
  const held = await sql<{ id: string }[]>`select id from outbox where held_at is not null and attempts = 0 order by id`
  expect(held.map(({ id }) => id)).toEqual([...waiting].toSorted())
  expect((await start()).told()).toEqual([])
  expect(await migrateDatabase({ env: { ...settings(), LOG_LEVEL: 'silent' } }, { releaseMails: true })).toEqual({
    applied: [],
    created: null,
    released: 2,
    resumed: 0,
  })
  await ask('/forget-password', { email: 'nobody@example.com' })
  await expect.poll(() => mails.mails.length).toBe(3)
  // A row goes once its mail is sent. A mail that was given up before stays.
  await expect.poll(() => sql`select attempts, held_at from outbox`).toEqual([{ attempts: 0, heldAt: null }])
})

it('refuses where readers of the original stand, with a way on, and tells each new event once and no old one', async () => {
  const { ask } = await start()
  const list = async (query: Record<string, string>) => {
    const reply = await ask(`/admin/list-audit-events?${new URLSearchParams(query).toString()}`)
    expect(reply.status).toBe(200)
    return reply.body
  }
  expect(await ask(`/admin/list-audit-events?after=${cursor}`)).toMatchObject({
    status: 409,
    body: { code: 'CURSOR_OF_ANOTHER_DATABASE', message: expect.stringContaining('since') },
  })
  const { events, latest } = await list({ event: 'organization-created' })
  expect(events).toHaveLength(3)
  expect((await list({ event: 'organization-created', limit: '2' })).next).not.toBeNull()
  const made = []
  for (let time = 0; time < 4; time += 1)
    made.push((await ask('/organization/create', { name: 'New', slug: crypto.randomUUID() })).status)
  expect(made).toEqual([200, 200, 200, 200])
  const news = await list({ after: latest })
  expect(news.events.map(({ event }) => event)).toEqual(Array.from({ length: 4 }, () => 'organization-created'))
  // Past all numbers of the original.
  const last = await number(original.deps.sql)
  await goOn(sql, last - (await number(sql)) + 10)
  expect((await list({ after: news.latest })).events).toEqual([])
  expect((await list({ after: latest })).events).toEqual(news.events)
})

it('is told apart where nobody may read which cluster it is', async () => {
  await sql`create role plain login`
  await sql`revoke execute on function pg_control_system() from public`
  await sql`grant all on all tables in schema public to plain`
  const address = cluster.database as Exclude<typeof cluster.database, string>
  const plain = connect({ ...address, user: 'plain' }, { connections: 1, prepare: true })
  const note = () => plain.begin((tx) => recordCopy(tx as unknown as Sql))
  await note()
  expect([await isOriginalDatabase(plain), await note()]).toEqual([true, null])
  // As a restore writes it: the same, by another transaction.
  await plain`
    with row as (delete from database_copies where number = (select max(number) from database_copies) returning *),
    table_ as (select 1)
    select * from row
  `.then(
    async ([row]) =>
      plain.driver`insert into database_copies ${plain.driver(row as never, 'number', 'id', 'identity', 'xid')}`,
  )
  expect(await isOriginalDatabase(plain)).toBe(false)
  await plain.end({ timeout: 1 })
})
