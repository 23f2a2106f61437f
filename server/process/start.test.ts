import { Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { connect, connectForMigration } from '../db/connect.ts'
import { emptyDatabase, settingsOf } from '../testing/database.ts'
import { freePort } from '../testing/ports.ts'
import { patient } from '../testing/process.ts'
import { openProxy, type Proxy } from '../testing/proxy.ts'
import { testSecret } from '../testing/settings.ts'
import { applyMigrations } from './database.ts'
import { listenAt } from './listen.ts'
import { createLog } from './log.ts'
import { poolOf, type Service, startService } from './start.ts'

let empty: Awaited<ReturnType<typeof emptyDatabase>>
let proxy: Proxy
beforeEach(async () => {
  empty = await emptyDatabase()
  proxy = await openProxy(empty.database)
})
afterEach(async () => {
  await proxy.close()
  await empty.drop()
})

async function startOn(settings: Record<string, string>) {
  const port = await freePort()
  const config = parseConfig({
    PORT: String(port),
    SECRET: testSecret,
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const started = startService(config, await createLog(config), patient)
  return { started, base: `http://127.0.0.1:${port}/api/auth` }
}

const answerOf = async (url: string, init?: RequestInit) => {
  const reply = await fetch(url, init)
  return [reply.status, await reply.text(), reply.headers.get('retry-after')]
}

const unavailable = [503, '{"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"}', '1']
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }

describe('a service whose database is not up yet', () => {
  it('lives, is not ready, tells everybody else to come back, and serves as soon as it is', async () => {
    proxy.fault = 'refuse'
    const { started, base } = await startOn(settingsOf(proxy.database))
    await expect.poll(() => answerOf(`${base}/ok`).catch(() => null)).toEqual([200, '{"ok":true}', null])
    expect(await answerOf(`${base}/ready`)).toEqual(unavailable)
    expect(await answerOf(`${base}/get-session`)).toEqual(unavailable)
    expect(await answerOf(`${base}/sign-in/email`, post)).toEqual(unavailable)
    expect(await answerOf(`${base}/unknown`)).toEqual(unavailable)
    expect((await answerOf(`${base}/openapi.json`))[0]).toBe(200)
    proxy.fault = 'none'
    const service: Service = await started
    expect(await answerOf(`${base}/ready`)).toEqual([200, '{"ready":true}', null])
    expect(await answerOf(`${base}/get-session`)).toEqual([200, 'null', null])
    expect((await answerOf(`${base}/unknown`))[0]).toBe(404)
    await service.stop({ notice: 0 })
  })

  it.each(['reset', 'end-at-startup', 'half-close'] as const)(
    'waits also when connections meet a %s',
    async (fault) => {
      proxy.fault = fault
      const { started, base } = await startOn(settingsOf(proxy.database))
      await expect.poll(() => proxy.accepted).toBeGreaterThan(1)
      expect(await answerOf(`${base}/ready`)).toEqual(unavailable)
      proxy.fault = 'none'
      await (await started).stop({ notice: 0 })
    },
  )
})

it('with MIGRATE=off is not ready before somebody else has migrated, and then is', async () => {
  const settings = { ...settingsOf(empty.database), MIGRATE: 'off' }
  const { started, base } = await startOn(settings)
  const service = await started
  expect(await answerOf(`${base}/ready`)).toEqual(unavailable)
  const config = parseConfig(settings)
  await applyMigrations(empty.database, await createLog({ ...config, LOG_LEVEL: 'silent' }))
  expect(await answerOf(`${base}/ready`)).toEqual([200, '{"ready":true}', null])
  await service.stop({ notice: 0 })
})

describe('a start that cannot work', () => {
  it('does not listen before that with LISTEN_EARLY off, and leaves nothing open when the port is taken', async () => {
    proxy.fault = 'end-at-startup'
    const { started, base } = await startOn({ ...settingsOf(proxy.database), LISTEN_EARLY: 'off' })
    await expect.poll(() => proxy.accepted).toBeGreaterThan(0)
    await expect(fetch(`${base}/ok`)).rejects.toThrow('fetch failed')
    proxy.fault = 'none'
    const service = await started
    expect(await answerOf(`${base}/ready`)).toEqual([200, '{"ready":true}', null])
    const { port } = new URL(service.url)
    const second = await startOn({ ...settingsOf(proxy.database), LISTEN_EARLY: 'off', PORT: port })
    await expect(second.started).rejects.toThrow('is already in use')
    await service.stop({ notice: 0 })
  })

  it('says that its port is taken, and by what to do', async () => {
    const { started, base } = await startOn(settingsOf(empty.database))
    const service = await started
    const { port } = new URL(base)
    const again = await startOn({ ...settingsOf(empty.database), PORT: port })
    await expect(again.started).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is already in use. Stop the program that listens there, or set PORT.`,
    )
    expect((await answerOf(`${base}/ok`))[0]).toBe(200)
    await service.stop({ notice: 0 })
  })

  it.each(['203.0.113.77', 'no-such-host.invalid'])('says that %s is no address of this machine', async (HOST) => {
    const { started } = await startOn({ ...settingsOf(empty.database), HOST })
    await expect(started).rejects.toThrow(
      `This machine has no address ${HOST}, or cannot resolve it. Set HOST to one of its own, or 0.0.0.0.`,
    )
  })

  it('listens at an IPv6 address with the brackets of a URL', async () => {
    const { started } = await startOn({ ...settingsOf(empty.database), HOST: '[::1]' })
    const service = await started
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    await service.stop({ notice: 0 })
  })

  it.each(['EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL'])(
    'says the same where nobody can be asked for names, or IPv6 is off: %s',
    async (code) => {
      const server = new Server()
      const refuse = () => server.emit('error', Object.assign(new Error('listen'), { code }))
      const deaf = Object.assign(server, { listen: refuse as never })
      await expect(listenAt(deaf, { HOST: 'box', PORT: 4100, prefix: '' })).rejects.toThrow(
        'This machine has no address box, or cannot resolve it.',
      )
    },
  )

  it.each(['require', 'verify-full'])('says that its database has no TLS where sslmode=%s wants it', async (mode) => {
    proxy.fault = 'end-at-startup'
    const DATABASE_URL = `${settingsOf(proxy.database).DATABASE_URL}?sslmode=${mode}`
    const { started, base } = await startOn({ DATABASE_URL })
    // Nothing is known of one that goes away before it answers.
    await expect.poll(() => proxy.accepted).toBeGreaterThan(1)
    expect(await answerOf(`${base}/ready`)).toEqual(unavailable)
    proxy.fault = 'none'
    await expect(started).rejects.toThrow(
      /the server at 127\.0\.0\.1:\d+ offers no TLS, which sslmode in its address asks/,
    )
  })

  it('stops at a database that does not exist, and listens no longer', async () => {
    const url = settingsOf(empty.database).DATABASE_URL!.replace(/postern_\w+/, 'no_such_database')
    const { started, base } = await startOn({ DATABASE_URL: url })
    await expect(started).rejects.toThrow('database "no_such_database" does not exist')
    await expect(fetch(`${base}/ok`)).rejects.toThrow('fetch failed')
  })
})

/** A service with its log lines. */
async function startTelling(settings: Record<string, string>) {
  const lines: string[] = []
  const config = parseConfig({
    PORT: String(await freePort()),
    SECRET: testSecret,
    LOG_FORMAT: 'json',
    ...settingsOf(empty.database),
    ...settings,
  })
  const log = await createLog(config, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  return { lines, service: await startService(config, log, patient) }
}

const causes = {
  'its replica': { DATABASE_REPLICA_URL: 'postgres://one,two/b' },
  'its mail server': { SMTP_URL: 'no address', MAIL_FROM: 'no-reply@example.com' },
}

it.each(Object.entries(causes))('leaves nothing open when it cannot start for %s', async (_what, wrong) => {
  const ports = { PORT: await freePort(), METRICS_PORT: await freePort() }
  const config = parseConfig({ ...settingsOf(proxy.database), METRICS: 'on', LOG_LEVEL: 'silent', SECRET: testSecret })
  const started = startService({ ...config, ...ports, ...wrong }, await createLog(config), patient)
  await expect(started).rejects.toThrow(/several hosts|Invalid URL/)
  for (const PORT of Object.values(ports)) await bindable(PORT)
  const sql = connectForMigration(empty.database)
  const others = () => sql`
    select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  `
  await expect.poll(others).toHaveLength(0)
  await sql.end()
})

/** Throws when somebody still listens there. */
async function bindable(PORT: number): Promise<void> {
  const server = new Server()
  await listenAt(server, { HOST: '127.0.0.1', PORT, prefix: '' })
  server.close()
}

it('measures a password hash once it serves, so that nobody waits for that', async () => {
  const { lines, service } = await startTelling({})
  // On a busy machine the line says that it is slow.
  const measured = () => lines.findIndex((line) => line.includes('one password hash'))
  expect(measured()).toBe(-1)
  await expect.poll(measured).toBeGreaterThan(lines.indexOf('listening'))
  await service.stop({ notice: 0 })
})

it('warns when nobody limits how long a statement may take, and how that is done', async () => {
  const { lines, service } = await startTelling({ DATABASE_PREPARE: 'off', DATABASE_TIMEOUT: '8s' })
  await expect
    .poll(() => lines.join())
    .toContain("alter role … set statement_timeout = '7200ms', and set lock_timeout = '3200ms'")
  await service.stop({ notice: 0 })
})

it.each([
  [{}, { queue: 2000, query: 5000 }, ['4500ms', '2s']],
  [{ DATABASE_TIMEOUT: '10s' }, { queue: 4000, query: 10_000 }, ['9s', '4s']],
])('gives a statement as long as is set, here and at the server: %j', async (settings, deadlines, limits) => {
  const config = parseConfig({ SECRET: testSecret, LOG_LEVEL: 'silent', ...settings })
  const options = poolOf(config, await createLog(config))
  const sql = connect(empty.database, options)
  const [row] =
    await sql`select current_setting('statement_timeout') as longest, current_setting('lock_timeout') as locks`
  expect([options.deadlines, [row?.longest, row?.locks]]).toEqual([deadlines, limits])
  await sql.end({ timeout: 1 })
})

describe('a service that is asked to stop', () => {
  it('stops once, however often it is asked, and gives its port back', async () => {
    const { started, base } = await startOn(settingsOf(empty.database))
    const service = await started
    await Promise.all([service.stop({ notice: 0 }), service.stop(), service.stop({ notice: 0 })])
    await expect(fetch(`${base}/ok`)).rejects.toThrow('fetch failed')
    const again = await startOn({ ...settingsOf(empty.database), PORT: new URL(base).port })
    await (await again.started).stop({ notice: 0 })
  })
})
