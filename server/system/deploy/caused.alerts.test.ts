import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectForMigration, type Driver } from '../../db/connect.ts'
import { cloneDatabase, settingsOf } from '../../testing/database.ts'
import { freePort } from '../../testing/ports.ts'
import { type Spawned, serving, spawnServer } from '../../testing/process.ts'
import { type Prometheus, startPrometheus } from '../../testing/prometheus.ts'
import { openProxy, type Proxy } from '../../testing/proxy.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { serviceOn, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { type MailServer, startMailServer } from '../../testing/smtp.ts'
import { readSample } from './samples.ts'

// Alerts look at minutes.
vi.setConfig({ testTimeout: 180_000 * slack, hookTimeout: 180_000 * slack })

type Settings = Readonly<Record<string, string>>

/** A service that is watched, and can be started again at the same ports. */
class Instance {
  readonly metrics: number
  readonly #settings: Settings
  readonly #script: string
  #running: Spawned | undefined
  url = ''

  private constructor(metrics: number, settings: Settings, script: string) {
    this.metrics = metrics
    this.#settings = { ...settings, METRICS: 'on', METRICS_PORT: String(metrics) }
    this.#script = script
  }

  static async start(settings: Settings, script = serving): Promise<Instance> {
    const port = String(await freePort())
    const instance = new Instance(await freePort(), { PORT: port, ...settings }, script)
    await instance.start()
    return instance
  }

  async start(): Promise<void> {
    this.#running = spawnServer(this.#settings, this.#script)
    this.url = await this.#running.untilListening()
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#running?.kill(signal)
  }

  /** For so many milliseconds it gets no processor. */
  async starve(time: number): Promise<void> {
    const pid = this.#running?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    await sleep(time)
    process.kill(pid, 'SIGCONT')
  }

  ask(path: string, body?: object, cookie = ''): Promise<Response> {
    const headers = { 'content-type': 'application/json', cookie }
    return fetch(`${this.url}${path}`, body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers })
  }
}

const stops: (() => unknown)[] = []
let prometheus: Prometheus
let mails: MailServer
let receiver: Receiver
let sql: Driver
let proxy: Proxy
/** One that does all; one that can be spoilt, with little of everything; one on a copy, whose config file leaks. */
let whole: Instance
let spoilt: Instance
let copy: Instance
const ann = { email: 'ann@example.com', name: 'Ann', password: testPassword }
let cookie: string
let organizationId: string

beforeAll(async () => {
  const { database, drop } = await cloneDatabase()
  const first = await serviceOn(database, {})
  await first.visitor().post('/sign-up/email', ann)
  await first.visitor().post('/request-password-reset', { email: ann.email })
  await first.stop()
  const copied = await cloneDatabase(nameOf(settingsOf(database)['DATABASE_URL'] ?? ''))
  mails = await startMailServer()
  receiver = await startReceiver()
  proxy = await openProxy(database)
  sql = connectForMigration(database)
  const usual = {
    SMTP_URL: mails.url,
    MAIL_FROM: 'no-reply@example.com',
    RATE_LIMIT: 'off',
    WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
    WEBHOOK_LIMIT: '100',
  }
  const small = { DATABASE_POOL: '2', PASSWORD_QUEUE: '1' }
  whole = await Instance.start({ ...usual, ...settingsOf(database) })
  spoilt = await Instance.start({ ...usual, ...small, ...settingsOf(proxy.database) }, 'serve({})')
  copy = await Instance.start(
    settingsOf(copied.database),
    `globalThis.kept = Buffer.alloc(600 * 2 ** 20, 1); ${serving}`,
  )
  prometheus = await startPrometheus([whole, spoilt, copy].map(({ metrics }) => metrics))
  stops.push(() => prometheus.stop(), ...[whole, spoilt, copy].map((each) => () => each.kill()))
  stops.push(
    () => mails.stop(),
    () => receiver.stop(),
    () => proxy.close(),
    () => sql.end(),
    drop,
    copied.drop,
  )
  const signedIn = await whole.ask('/sign-in/email', ann)
  cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const made = await whole.ask('/organization/create', { name: 'Acme', slug: 'acme' }, cookie)
  organizationId = ((await made.json()) as { id: string }).id
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

const times = (count: number, act: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, () => act().catch(() => undefined)))

/** Holds up every request with a session for two seconds. */
const holdSessions = () =>
  sql.begin(async (tx) => {
    await tx`lock table sessions in access exclusive mode`
    const waiting = times(10, () => spoilt.ask('/get-session', undefined, cookie))
    await tx`select pg_sleep(2.5)`
    return { waiting }
  })

async function loseDatabase(): Promise<void> {
  proxy.fault = 'refuse'
  proxy.strike()
  await times(5, () => spoilt.ask('/get-session', undefined, cookie))
  await sleep(500)
}

const findDatabase = async () => {
  proxy.fault = 'none'
  await expect.poll(async () => (await spoilt.ask('/ready')).status, { timeout: 60_000 * slack }).toBe(200)
}

const failSignIn = () => whole.ask('/sign-in/email', { ...ann, password: 'something else' })

async function leaveMail(behaviour: MailServer['behaviour']): Promise<void> {
  mails.behaviour = behaviour
  await whole.ask('/request-password-reset', { email: ann.email })
  await sleep(500)
}

async function failDelivery(): Promise<void> {
  receiver.answer = () => 500
  await whole.ask('/webhook/create', { url: receiver.url, organizationId }, cookie)
  await sleep(500)
}

async function restart(): Promise<void> {
  await spoilt.kill()
  await spoilt.start()
  // One start that nobody looked at does not count.
  await sleep(1500)
}

/** What causes each, until it fires; and what mends it for those that follow. */
const causes: Readonly<
  Record<string, { readonly cause: () => Promise<unknown>; readonly mend?: () => Promise<unknown> }>
> = {
  PosternMailHeld: { cause: () => sleep(100) },
  PosternMemory: { cause: () => sleep(100) },
  PosternSlow: { cause: holdSessions },
  PosternDatabasePoolFull: { cause: holdSessions },
  PosternErrors: { cause: loseDatabase },
  PosternDatabaseAway: { cause: loseDatabase, mend: findDatabase },
  PosternPasswordsRefused: { cause: () => times(20, () => spoilt.ask('/sign-in/email', ann)) },
  PosternMailGivenUp: { cause: () => leaveMail('550') },
  PosternMailLate: {
    cause: async () => {
      await leaveMail('421')
      await sql`update outbox set created_at = now() - interval '11 minutes' where parked_at is null`
    },
  },
  PosternWebhooksFail: { cause: failDelivery },
  PosternBusy: { cause: () => spoilt.starve(600).then(() => sleep(100)) },
  PosternSignInsFail: { cause: () => times(20, failSignIn) },
  PosternRestarts: { cause: restart },
  PosternDown: { cause: () => spoilt.kill() },
  PosternAllDown: { cause: () => Promise.all([whole, spoilt, copy].map((each) => each.kill())) },
}

it('nothing is amiss at first, but for the copy and its memory', async () => {
  const told = ['PosternMailHeld', 'PosternMemory']
  await expect.poll(() => prometheus.fired(), { timeout: 60_000 * slack }).toEqual(new Set(told))
  await sleep(5000)
  expect(await prometheus.fired()).toEqual(new Set(told))
})

it.each(Object.entries(causes))('%s fires', async (alert, { cause, mend }) => {
  do await cause()
  while (!(await prometheus.fired()).has(alert))
  await mend?.()
  expect([...(await prometheus.fired())]).toContain(alert)
})

it('none of the rules is left out', () => {
  const named = Array.from(readSample('prometheus/alerts.yml').matchAll(/alert: (\w+)/g), ([, name]) => name)
  expect(new Set(named)).toEqual(new Set(Object.keys(causes)))
})
