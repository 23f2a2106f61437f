import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect as connectTo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Sql } from '../../db/connect.ts'
import { type Embedded, startEmbedded } from '../../embedded/start.ts'
import { patience } from '../../testing/database.ts'
import { tell } from '../../testing/load.ts'
import { ownPort, type Spawned, spawnServer } from '../../testing/process.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

const quiet = { info: () => undefined, warn: () => undefined }
const password = 'app-password'

/** A server that asks everybody but its owner for a password, with a database of the role `app`. */
let embedded: Embedded
let owner: Sql
let database: string
beforeAll(async () => {
  embedded = await startEmbedded({ dataDir: temporaryFolder('outage-lines'), log: quiet })
  owner = connect(embedded.connection, { connections: 1, prepare: false, deadlines: patience })
  await owner.unsafe(`set password_encryption = 'scram-sha-256'; create role app login password '${password}'`)
  await owner`create database app owner app`
  await owner`
    copy (values ('local all postern trust'), ('local all all scram-sha-256')) to program 'cat > pg_hba.conf'
  `
  await owner`select pg_reload_conf()`
  database = urlWith(password)
  const migrating = spawnServer({ DATABASE_URL: database }, 'await migrateDatabase()')
  if ((await migrating.exited) !== 0) throw new Error(migrating.output())
})
afterAll(async () => {
  await owner.end()
  await embedded.stop()
})

const urlWith = (secret: string, host: string = embedded.connection.host) =>
  `postgres://app:${secret}@localhost/app?host=${encodeURIComponent(host)}`

const running: Spawned[] = []
const servers: Server[] = []
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
  for (const server of servers.splice(0)) server.close()
  await owner.unsafe(`alter role app connection limit -1 password '${password}'`)
})

async function start(settings: Record<string, string>) {
  const service = spawnServer({ ...(await ownPort()), LOG_TIME: 'iso', ...settings })
  running.push(service)
  return service
}

/** Every connection is lost, and a new one is to be made. */
const dropAll = () => owner`select pg_terminate_backend(pid, 30_000) from pg_stat_activity where datname = 'app'`

/** The lines of a request that was refused, without what is of the request. */
const refused = (service: Spawned) =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes('"request refused"'))
    .map((line) => JSON.parse(line))
    .map(({ level, msg, err }) => ({ level, msg, err }))

/** What a request is told and what the log says of it, once the service can no longer connect. */
async function afterwards(service: Spawned, url: string) {
  const { status, body } = await tell(`${url}/get-session`, { headers: { authorization: `Bearer ${'a'.repeat(43)}` } })
  expect([status, body]).toEqual([503, { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' }])
  await expect.poll(() => refused(service).length).toBeGreaterThan(0)
  expect(service.output()).not.toMatch(/"stack"|\\n\s+at |^\s+at /m)
  return refused(service).at(-1)
}

describe('a database that lets nobody in is one line of the log, with what to do', () => {
  it('where the password was changed', async () => {
    const service = await start({ DATABASE_URL: database })
    const url = await service.untilListening()
    await owner.unsafe("alter role app password 'another'")
    await dropAll()
    expect(await afterwards(service, url)).toEqual({
      level: 40,
      msg: 'request refused',
      err: {
        type: 'DatabaseOutage',
        code: '28P01',
        message: 'password authentication failed for user "app"',
        check: 'check the user and the password of DATABASE_URL',
      },
    })
    expect(service.output()).not.toContain(password)
  })

  it('where there are too many connections', async () => {
    const service = await start({ DATABASE_URL: database })
    const url = await service.untilListening()
    await owner`alter role app connection limit 0`
    await dropAll()
    expect(await afterwards(service, url)).toMatchObject({
      err: {
        code: '53300',
        message: 'too many connections for role "app"',
        check: expect.stringContaining('max_connections'),
      },
    })
  })

  it('where a pooler refuses what the service sets for its connections', async () => {
    const service = await start({ DATABASE_URL: urlWith(password, await strictPooler()) })
    expect(await afterwards(service, await service.untilListening())).toMatchObject({
      err: {
        code: '08P01',
        message: 'unsupported startup parameter: statement_timeout',
        check: 'behind PgBouncer set DATABASE_PREPARE=off',
      },
    })
  })

  it('where it is away, also for readiness', async () => {
    const folder = await strictPooler()
    const service = await start({ DATABASE_URL: urlWith(password, folder), DATABASE_PREPARE: 'off' })
    const url = await service.untilListening()
    for (const server of servers.splice(0)) server.close()
    rmSync(join(folder, '.s.PGSQL.5432'), { force: true })
    await dropAll()
    expect((await tell(`${url}/ready`)).status).toBe(503)
    expect(await afterwards(service, url)).toMatchObject({ err: { code: 'ENOENT', check: expect.anything() } })
    const [said] = service
      .output()
      .split('\n')
      .filter((line) => line.includes('not ready'))
    expect(JSON.parse(said ?? '')).toMatchObject({
      err: { code: 'ENOENT' },
      msg: 'not ready: the database does not answer',
    })
  })

  it('and in the pretty format stands in the line itself', async () => {
    await owner`alter role app connection limit 0`
    const service = await start({ DATABASE_URL: database, LOG_FORMAT: 'pretty', MIGRATE: 'on' })
    await expect.poll(service.output).toContain('trying again')
    expect(service.output()).toMatch(
      /^\[.*\] WARN: the database cannot be used yet, trying again: too many connections for role "app" \(53300\); raise max_connections .*\n$/,
    )
  })
})

it('a start with a wrong password ends at once, and says what to check', async () => {
  const starting = await start({ DATABASE_URL: urlWith('wrong'), MIGRATE: 'on' })
  expect(await starting.exited).toBe(1)
  expect(starting.output()).toContain('DatabaseOutage: password authentication failed for user "app"')
  expect(starting.output()).toContain("check: 'check the user and the password of DATABASE_URL'")
})

it('what is wrong in the code keeps its stack', async () => {
  const service = await start({ DATABASE_URL: database })
  const url = await service.untilListening()
  const app = connect({ ...embedded.connection, database: 'app' }, { connections: 1, prepare: false })
  await app`alter table sessions rename to gone`
  await tell(`${url}/get-session`, { headers: { authorization: `Bearer ${'a'.repeat(43)}` } })
  await app`alter table gone rename to sessions`
  await app.end()
  await expect.poll(service.output).toContain('"request failed"')
  expect(service.output()).toMatch(/"code":"42P01".*"stack":"\w+: relation \\"sessions\\" does not exist\\n {4}at /)
})

/** Stands before the server as PgBouncer does, and takes no connection that sets anything; its socket's folder. */
async function strictPooler(): Promise<string> {
  const folder = temporaryFolder('pooler')
  const upstream = join(embedded.connection.host, `.s.PGSQL.${embedded.connection.port}`)
  const server = createServer((client) => {
    client
      .on('error', () => undefined)
      .once('data', (startup) => {
        if (startup.includes('statement_timeout\0')) return void client.end(refusal)
        const way = connectTo(upstream).on('error', () => client.destroy())
        way.write(startup)
        client.pipe(way).pipe(client)
      })
  })
  servers.push(server)
  server.listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  return folder
}

const body = Buffer.from('SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0')
const refusal = Buffer.concat([Buffer.from('E'), Buffer.from(Uint32Array.of(body.length + 4).buffer).reverse(), body])
