import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type App, createApp } from '../../app.ts'
import { connect, type PoolOptions, type Sql } from '../../db/connect.ts'
import { addressOf, drain, listen } from '../../process/listen.ts'
import { poolOf } from '../../process/start.ts'
import { patience } from '../../testing/database.ts'
import { type Person, send, settle, startCrowd } from '../../testing/identity.ts'
import { openRewired, type Rewired } from '../../testing/rewired.ts'
import { stormSeconds, timeFor } from '../../testing/rounds.ts'
import { createTestService, type TestService } from '../../testing/service.ts'

/** Milliseconds: small, so that a disk or a network that is slow for a moment is given up, as five seconds are in production. */
const deadlines = { queue: 800, query: 500 }

interface Scene {
  readonly service: TestService
  readonly way: Rewired
  readonly url: string
  /** The same service by a way without faults, and with all the time that it needs. */
  readonly home: string
  /** Straight to the database, for what strikes there. */
  readonly killer: Sql
  /** The connections of the service that can be struck. */
  readonly sql: Sql
  /** Log lines of the worst kind. */
  readonly alarms: () => unknown[]
}

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

/** A service that listens, and whose way to the database can be struck. */
async function open(DATABASE_PREPARE: string, options: Partial<PoolOptions> = {}): Promise<Scene> {
  const service = await createTestService({ DATABASE_PREPARE, ORGANIZATION_LIMIT: '1000' })
  endings.push(() => service.stop())
  const way = await openRewired(service.database)
  endings.push(() => way.close())
  const { config, log } = service.deps
  const sql = connect(way.database, { ...poolOf(config, log), connections: 4, deadlines, ...options })
  endings.push(() => sql.end({ timeout: 0 }))
  const listenWith = async (app: App) => {
    const server = await listen({ ...config, PORT: 0 }, (request, env) => app.fetch(request, env))
    endings.push(() => drain(server, 0))
    return `${addressOf(server)}${config.BASE_PATH}`
  }
  const [url, home] = [await listenWith(createApp({ ...service.deps, sql })), await listenWith(service.app)]
  const killer = connect(service.database, { connections: 2, prepare: false, deadlines: patience })
  endings.push(() => killer.end({ timeout: 0 }))
  const alarms = () => service.logged.filter(({ level, msg }) => level === 60 || msg === 'request failed')
  return { service, way, killer, sql, alarms, url, home }
}

/** An ordinary account with large organizations, which it lists again and again. */
async function startAttacker({ url, home, killer: sql }: Scene): Promise<() => Promise<void>> {
  const attacker = await settle(home, 'mallory')
  await sql`
    with made as (
      insert into organizations (id, name, slug, metadata)
      select 'large-' || n, 'Large', 'large-' || n, json_build_object('text', repeat('x', 8000)) from generate_series(1, 30) n
      returning id
    )
    insert into members (id, organization_id, user_id, roles) select id, id, ${attacker.id}, '{owner}' from made
  `
  let isOver = false
  const loops = Array.from({ length: 4 }, async () => {
    while (!isOver) await send(url, attacker, '/organization/list')
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
  }
}

type Strike = (scene: Scene) => unknown

const backends = (sql: Sql) => sql`
  select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name = 'postern'
`

const strikes: Readonly<Record<string, Strike>> = {
  'answers that fail half-way': ({ way }) => way.failHalfway(10),
  'a stall that is given up': ({ way }) => way.stall(2 * deadlines.query),
  'a stall that is not': ({ way }) => way.stall(deadlines.query / 3),
  'lost connections': ({ way }) => way.cut(),
  'killed backends': ({ killer }) => killer`select pg_terminate_backend(b.pid) from (${backends(killer)}) b`,
  'canceled statements': async ({ killer }) => {
    for (let n = 0; n < 10; n += 1) await killer`select pg_cancel_backend(b.pid) from (${backends(killer)}) b`
  },
  'a lock that is waited for in vain': ({ killer }) => hold(killer, 2 * deadlines.query),
  'a lock that is waited for': ({ killer }) => hold(killer, 20),
}

const hold = (sql: Sql, milliseconds: number) =>
  sql.begin(async (tx) => {
    await tx`lock table sessions, members in access exclusive mode`
    await sleep(milliseconds)
  })

describe.each(['on', 'off'])('twenty people and an attacker, with DATABASE_PREPARE=%s', (prepare) => {
  it('each get their own answers or 503, whatever happens on the way to the database', {
    ...timeFor(30 + stormSeconds),
  }, async () => {
    const scene = await open(prepare)
    if (prepare === 'off') await limitByDatabase(scene)
    const people: Person[] = []
    for (let n = 0; n < 20; n += 1) people.push(await settle(scene.home, `person-${n}`))
    const stopAttacker = await startAttacker(scene)
    const crowd = startCrowd(scene.url, people)
    const end = Date.now() + stormSeconds * 1000
    do {
      for (const strike of Object.values(strikes)) {
        await strike(scene)
        // The next fault comes when everybody has been served after this one.
        const served = crowd.own()
        await expect.poll(() => crowd.own() - served).toBeGreaterThan(20)
      }
    } while (Date.now() < end)
    await Promise.all([crowd.stop(), stopAttacker()])
    expect(crowd.wrong).toEqual([])
    expect(scene.alarms()).toEqual([])
    expect([crowd.refused() > 0, scene.way.failed() > 0]).toEqual([true, true])
    const kept = await scene.killer<{ email: string; image: string | null }[]>`
      select email, image from users where email like 'person-%' and image is not null
    `
    expect(kept.filter(({ email, image }) => image !== `https://example.com/${email.split('@')[0]}.png`)).toEqual([])
    for (const person of people) expect((await send(scene.home, person, '/get-session')).body.user.id).toBe(person.id)
  })
})

/** Behind PgBouncer the service may not set them: whoever runs it does. */
async function limitByDatabase({ killer, service, way }: Scene) {
  const name = new URL(String(settingsName(service))).pathname.slice(1)
  await killer.unsafe(`alter database ${name} set statement_timeout = ${deadlines.query * 0.9}`)
  await killer.unsafe(`alter database ${name} set lock_timeout = ${deadlines.query * 0.4}`)
  way.cut()
}

const settingsName = ({ database }: TestService) =>
  typeof database === 'string' ? database : `postgres://localhost/${database.database}`

describe('two connections whose answers are crossed', () => {
  it('give nobody the other one: who asked there is told 503, loudly, and everybody is right again', async () => {
    const scene = await open('on', { connections: 2, deadlines: patience })
    const people: Person[] = []
    for (let n = 0; n < 8; n += 1) people.push(await settle(scene.home, `person-${n}`))
    // Until both connections are open, and each in turn knows the statement: then an answer of one has the shape of the other's.
    await Promise.all([scene.sql`select pg_sleep(0.01)`, scene.sql`select pg_sleep(0.01)`])
    for (const person of people) await send(scene.url, person, '/get-session')
    const jars = people.map(({ cookies }) => [...cookies])
    const replies = await askWhileLocked(scene, people, () => scene.way.cross())
    // Who is not told 503 was asked for again over a new connection, and got their own.
    const owns = replies.map(({ status, body }, n) => status === 503 || body.user.email === people[n]!.email)
    expect([owns.every(Boolean), replies.some(({ status }) => status === 503)]).toEqual([true, true])
    expect(replies.flatMap(({ setCookies }) => setCookies)).toEqual([])
    expect(scene.alarms().length).toBeGreaterThan(0)
    expect(people.map(({ cookies }) => [...cookies])).toEqual(jars)
    const after = await Promise.all(people.map((person) => send(scene.url, person, '/get-session')))
    expect(after.map(({ body }) => body.user.email)).toEqual(people.map(({ email }) => email))
  })
})

/** Everybody asks for their session; the first two on a connection each, the others wait for one of them, together. */
async function askWhileLocked(scene: Scene, people: readonly Person[], meanwhile: () => void) {
  const asked: ReturnType<typeof send>[] = []
  await scene.killer.begin(async (tx) => {
    await tx`lock table sessions in access exclusive mode`
    for (const person of people) {
      asked.push(send(scene.url, person, '/get-session'))
      await expect.poll(() => countWaiting(scene)).toBe(Math.min(asked.length, 2))
    }
    meanwhile()
  })
  return Promise.all(asked)
}

async function countWaiting({ killer }: Scene): Promise<number> {
  const rows = await killer`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `
  return rows.length
}
