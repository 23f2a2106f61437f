import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { connect } from '../db/connect.ts'
import type { RateLimitSettings } from '../settings/rate-limits.ts'
import { knownCalls } from '../testing/calls.ts'
import { cloneDatabase, patience, settingsOf } from '../testing/database.ts'
import { seriesOf } from '../testing/exposition.ts'
import { postJson, tell } from '../testing/load.ts'
import { freePort } from '../testing/ports.ts'
import { testSecret } from '../testing/settings.ts'
import { open, rawRequest } from '../testing/wire.ts'
import { createLog } from './log.ts'
import { type Service, startService } from './start.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let service: Service | undefined
let base: string
let scraped: string
beforeEach(async () => {
  cloned = await cloneDatabase()
})
afterEach(async () => {
  await service?.stop({ notice: 0 })
  service = undefined
  await cloned.drop()
})

/** A whole service; `lines` are its log's. */
async function start(settings: Record<string, string> = {}, limits: RateLimitSettings = {}) {
  const lines: Record<string, unknown>[] = []
  const port = String(await freePort())
  const given = {
    METRICS: 'on',
    METRICS_PORT: port,
    PORT: '0',
    SECRET: testSecret,
    LOG_FORMAT: 'json',
    DATABASE_POOL: '3',
  }
  const all = { ...given, ...settingsOf(cloned.database), RATE_LIMIT: 'off', ...settings }
  const config = parseConfig(all, { RATE_LIMITS: limits })
  const log = await createLog(config, { write: (line: string) => void lines.push(JSON.parse(line)) })
  service = await startService(config, log)
  base = `${service.url}/api/auth`
  scraped = `http://127.0.0.1:${port}/metrics`
  return { lines, port }
}

async function scrape(url = scraped) {
  const reply = await fetch(url)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

/** Series → value, of a text that is what the format allows. */
const numbers = async () => seriesOf((await scrape()).text)
/** The same, when the database has told in time of the mails that wait. */
async function scrapeWithMails() {
  let found = await scrape()
  for (let tried = 0; tried < 100 && !/^postern_outbox_waiting /m.test(found.text); tried += 1) {
    await sleep(100)
    found = await scrape()
  }
  return found
}

const email = () => `${randomUUID()}@example.com`
const password = 'correct horse battery staple'
const signUp = (address: string) => tell(`${base}/sign-up/email`, postJson({ email: address, name: 'Ann', password }))
const signIn = (address: string, word = password) =>
  tell(`${base}/sign-in/email`, postJson({ email: address, password: word }))

describe('with METRICS=on', () => {
  it('counts requests by call and status, how long they took, and sign-ins by way and result', async () => {
    const { lines } = await start()
    expect(lines.map(({ url }) => url)).toContain(scraped)
    const ann = email()
    await signUp(ann)
    await signIn(ann)
    for (let time = 0; time < 3; time += 1) await signIn(ann, 'a wrong passphrase')
    await tell(`${base}/get-session?token=${testSecret}`)
    const { text, headers } = await scrapeWithMails()
    const found = seriesOf(text)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(found).toMatchObject({
      'http_requests_total{route="/sign-up/email",status="200"}': 1,
      'http_requests_total{route="/sign-in/email",status="200"}': 1,
      'http_requests_total{route="/sign-in/email",status="401"}': 3,
      'http_requests_total{route="/get-session",status="200"}': 1,
      'http_request_duration_seconds_count{route="/sign-in/email"}': 4,
      'http_request_duration_seconds_bucket{route="/sign-in/email",le="+Inf"}': 4,
      'postern_sign_ins_total{way="password",result="done"}': 1,
      'postern_sign_ins_total{way="password",result="WRONG_EMAIL_OR_PASSWORD"}': 3,
      'postern_security_events_total{event="sign-up-done"}': 1,
      'postern_security_events_total{event="sign-in-failed"}': 3,
      postern_database_connections_max: 3,
      postern_database_waiting: 0,
      postern_password_hashes_running: 0,
      postern_password_hashes_refused_total: 0,
      postern_outbox_waiting: 0,
      postern_outbox_oldest_seconds: 0,
    })
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'])
      expect([name, found[name]! > 0]).toEqual([name, true])
    expect(found).toHaveProperty('nodejs_eventloop_lag_p99_seconds')
    for (const told of [ann, password, testSecret, 'Ann', '127.0.0.1']) expect(text).not.toContain(told)
  })

  it('has as many series as the contract has calls, whatever is asked for', async () => {
    await start()
    const before = Object.keys(await numbers()).length
    for (let time = 0; time < 200; time += 1) await tell(`${base}/${randomUUID()}?${randomUUID()}`)
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) await tell(`${base}/x`, { method })
    const found = await numbers()
    expect(found['http_requests_total{route="(unknown)",status="404"}']).toBe(204)
    // One status, and one route's histogram: 15 buckets, sum and count.
    expect(Object.keys(found).length - before).toBe(18)
    for (const { target, call } of knownCalls)
      await tell(`${base}${target}`, call.method === 'GET' ? {} : postJson({ email: randomUUID() }))
    const routes = new Set(Object.keys(await numbers()).flatMap((name) => /route="([^"]+)"/.exec(name)?.[1] ?? []))
    const known = new Set([...knownCalls.map(({ call }) => call.path), '(unknown)'])
    expect([...routes].filter((route) => !known.has(route))).toEqual([])
  })

  it('counts the password hashes that found no place', async () => {
    await start({ ARGON2_MEMORY: '131072' })
    const ann = email()
    await signUp(ann)
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => signIn(ann)))
    const refused = outcomes.filter(({ status }) => status === 503).length
    expect(refused).toBeGreaterThan(0)
    expect(await numbers()).toMatchObject({
      'http_requests_total{route="/sign-in/email",status="503"}': refused,
      postern_password_hashes_refused_total: refused,
      postern_password_hashes_running: 0,
      postern_password_hashes_waiting: 0,
    })
  })

  it('counts mails that wait, and says nothing of them when the database does not', async () => {
    await start({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' })
    const ann = email()
    await signUp(ann)
    await tell(`${base}/forget-password`, postJson({ email: ann }))
    const found = seriesOf((await scrapeWithMails()).text)
    expect([found.postern_outbox_waiting, found.postern_outbox_parked]).toEqual([1, 0])
    expect(found.postern_outbox_oldest_seconds).toBeGreaterThanOrEqual(0)
    await service!.stop({ notice: 0 })
    await start({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' })
    const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
    await sql.begin(async (tx) => {
      await tx`lock table outbox in access exclusive mode`
      const [first, second] = await Promise.all([numbers(), numbers()])
      for (const seen of [first, second]) {
        expect(Object.keys(seen).filter((name) => name.startsWith('postern_outbox'))).toEqual([])
        expect(seen.postern_database_connections_used).toBeGreaterThan(0)
      }
      // Both of them wait for the same statement. Others of the service may wait for that table, too.
      const asking = await tx`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query ~ 'as parked'
      `
      expect(asking).toHaveLength(1)
    })
    await sql.end()
  })

  it('counts mails that a limit withheld', async () => {
    const limits = { mailsToAddress: { max: 1 }, mailCalls: { max: 100 } }
    await start({ RATE_LIMIT: 'on', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' }, limits)
    const ann = email()
    await signUp(ann)
    for (let time = 0; time < 4; time += 1) await tell(`${base}/forget-password`, postJson({ email: ann }))
    const name = 'postern_mails_withheld_total{kind="reset-password",limit="mailsToAddress"}'
    expect((await numbers())[name]).toBe(3)
  })

  it('answers nothing else there, and nothing of it elsewhere', async () => {
    await start()
    const origin = new URL(scraped).origin
    for (const path of ['/', '/metrics/', '/Metrics', '/api/auth/ok', '/metricsx', '//metrics'])
      expect([path, (await scrape(`${origin}${path}`)).status]).toEqual([path, 404])
    expect((await fetch(scraped, { method: 'POST' })).status).toBe(405)
    expect((await scrape(`${scraped}?x=1`)).status).toBe(200)
    for (const path of ['/metrics', '/api/auth/metrics'])
      expect([path, (await scrape(`${service!.url}${path}`)).status]).toEqual([path, 404])
  })

  it('says that its port is taken, and by what to do; then nothing listens', async () => {
    const { port } = await start()
    const first = service!
    const mine = await freePort()
    const again = start({ METRICS_PORT: port, PORT: String(mine) })
    await expect(again).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is already in use. Stop the program that listens there, or set METRICS_PORT.`,
    )
    await expect(fetch(`http://127.0.0.1:${mine}/api/auth/ok`)).rejects.toThrow('fetch failed')
    const other = await freePort()
    const blocked = start({ PORT: new URL(first.url).port, METRICS_PORT: String(other) })
    await expect(blocked).rejects.toThrow(/is already in use.*set PORT/)
    await expect(fetch(`http://127.0.0.1:${other}/metrics`)).rejects.toThrow('fetch failed')
    service = first
  })

  it('is there until the very end: while the service leaves, it still tells how that goes', async () => {
    await start()
    const post = 'POST /api/auth/sign-out'
    const socket = await open(Number(new URL(base).port))
    socket.write(
      rawRequest(post, { 'Content-Type': 'application/json', 'Content-Length': '2', Expect: '100-continue' }),
    )
    await once(socket, 'data')
    const stopped = service!.stop({ notice: 0 })
    await expect.poll(async () => (await tell(`${base}/ready`)).status).toBe(0)
    // Until this one has sent its body, the service cannot leave.
    expect((await scrape()).status).toBe(200)
    socket.write('{}')
    await stopped
    await expect(fetch(scraped)).rejects.toThrow('fetch failed')
  })
})

it('without, nothing listens there', async () => {
  await start({ METRICS: 'off' })
  await expect(fetch(scraped)).rejects.toThrow('fetch failed')
})
