import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { socketFolder } from './address.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { findOwner } from './secure-folder.ts'
import { startEmbedded } from './start.ts'
import {
  cleanUp,
  connect,
  drafts,
  isRunning,
  kill,
  newDatabase,
  newFolder,
  quiet,
  removeTemplate,
  serverPid,
  start,
  startService,
  until,
} from './testing/processes.ts'

afterEach(cleanUp)
afterAll(removeTemplate)

it('keeps rows from one start to the next and leaves no server behind', async () => {
  const dataDir = newFolder()
  const first = await start(dataDir)
  await connect(first)`create table notes as select 'kept' as text`
  await first.stop()
  expect(await isRunning(dataDir)).toBe(false)
  const second = await start(dataDir)
  expect(await connect(second)`select text from notes`).toEqual([{ text: 'kept' }])
})

it('listens on a private socket only, with durable writes, as a user that is not root', async () => {
  const embedded = await start(await newDatabase())
  const folder = statSync(embedded.connection.host)
  expect(folder.mode & 0o777).toBe(0o700)
  expect(folder.uid).toBe(findOwner('/nonexistent')?.uid ?? process.getuid?.())
  expect(folder.uid).not.toBe(0)
  const [row] = await connect(embedded)`
    select current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit, current_setting('server_encoding') as encoding, lower('Ä') as lower`
  expect(row).toEqual({ tcp: '', fsync: 'on', commit: 'on', encoding: 'UTF8', lower: 'ä' })
})

it('two services starting at once on an empty folder share one database', async () => {
  const dataDir = newFolder()
  const services = [startService(dataDir), startService(dataDir)]
  const [one, two] = await Promise.all(services.map((service) => service.ready))
  await connect({ connection: one! })`create table shared_by_both (n int)`
  await connect({ connection: two! })`insert into shared_by_both values (1)`
  expect(drafts(dataDir)).toEqual([])
  await services[0]!.stop()
  expect(await isRunning(dataDir)).toBe(true)
  await services[1]!.stop()
  expect(await isRunning(dataDir)).toBe(false)
})

it('a first start that is told to leave does not finish the database first', async () => {
  const dataDir = newFolder()
  const leaving = new AbortController()
  const start = startEmbedded({ dataDir, log: quiet, leaving: leaving.signal })
  start.catch(() => undefined)
  await until(() => drafts(dataDir).some((draft) => existsSync(join(dataDir, draft, 'postgres', 'PG_VERSION'))))
  leaving.abort()
  await expect(start).rejects.toThrow(EmbeddedDatabaseError)
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
})

/** A server on which no database can be created, and where whoever connects has to wait for a second. */
const useless = ['default_transaction_read_only=on', 'post_auth_delay=1']

it('stops the server that it started in vain', async () => {
  const dataDir = newFolder()
  await expect(startEmbedded({ dataDir, log: quiet, settings: useless })).rejects.toThrow(
    'cannot execute CREATE DATABASE in a read-only transaction',
  )
  expect(await serverPid(dataDir)).toBeUndefined()
})

it('leaves the server that it started in vain to those who have joined it', async () => {
  const dataDir = newFolder()
  const start = startEmbedded({ dataDir, log: quiet, settings: useless }).catch((error: Error) => error.message)
  const connection = { host: socketFolder(dataDir), port: 5432, user: 'postern', database: 'postgres' }
  const other = connect({ connection })
  await until(async () => (await other`select pg_advisory_lock_shared(4100)`.catch(() => [])).length === 1)
  expect(await start).toContain('read-only transaction')
  expect(await isRunning(dataDir)).toBe(true)
  expect(await other`select 1 as one`).toEqual([{ one: 1 }])
})

it('joins the server that a killed service left running, and stops it in the end', async () => {
  const dataDir = await newDatabase()
  const service = startService(dataDir)
  await service.ready
  const pid = await serverPid(dataDir)
  await kill(service.child)
  const embedded = await start(dataDir)
  expect(await serverPid(dataDir)).toBe(pid)
  // PostgreSQL needs a moment to notice that the killed process has left.
  const sql = connect(embedded)
  await until(async () => (await findLeases(sql)).length === 1)
  await embedded.stop()
  expect(await isRunning(dataDir)).toBe(false)
})

it('a start in the moment of the last stop gets a server', async () => {
  const dataDir = await newDatabase()
  let embedded = await start(dataDir)
  for (let round = 0; round < 8; round += 1) {
    const [, next] = await Promise.all([embedded.stop(), start(dataDir)])
    expect(await connect(next)`select 1 as one`).toEqual([{ one: 1 }])
    embedded = next
  }
})

it('starts a killed server again for two services at once, without losing an acknowledged row', async () => {
  const dataDir = await newDatabase()
  const service = startService(dataDir)
  await service.ready
  const embedded = await start(dataDir)
  const sql = connect(embedded)
  await sql`create table acknowledged (n int)`
  const answered: number[] = []
  const insert = async (n: number) => {
    const done = await sql`insert into acknowledged values (${n})`.catch(() => undefined)
    if (done) answered.push(n)
  }
  for (let n = 0; n < 20; n += 1) await insert(n)
  const storm = Promise.all(Array.from({ length: 40 }, (_, n) => insert(100 + n)))
  const killed = (await serverPid(dataDir))!
  process.kill(killed, 'SIGKILL')
  await storm
  await until(async () => (await serverPid(dataDir)) !== killed)
  // The pool finds the new server without help, and both services hold their lease again.
  await until(async () => (await findLeases(sql).catch(() => [])).length === 2)
  const rows = await connect(embedded)<{ n: number }[]>`select n from acknowledged`
  expect(rows.map(({ n }) => n)).toEqual(expect.arrayContaining(answered))
  await service.stop()
  expect(await isRunning(dataDir)).toBe(true)
  await embedded.stop()
  expect(await isRunning(dataDir)).toBe(false)
})

it('takes its lease again when the connection is terminated', async () => {
  const dataDir = await newDatabase()
  const embedded = await start(dataDir)
  const sql = connect(embedded)
  const pid = await serverPid(dataDir)
  const [lease] = await findLeases(sql)
  await sql`select pg_terminate_backend(${lease!.pid})`
  await until(async () => (await findLeases(sql)).some((found) => found.pid !== lease!.pid))
  const other = await start(dataDir)
  await other.stop()
  expect(await serverPid(dataDir)).toBe(pid)
  expect(await isRunning(dataDir)).toBe(true)
})

it('leaves a server running that does not answer, and the next start has it', async () => {
  const dataDir = await newDatabase()
  const first = await start(dataDir)
  const [lease] = await connect(first)<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'postern lease'
  `
  process.kill(lease!.pid, 'SIGSTOP')
  await first.stop()
  process.kill(lease!.pid, 'SIGCONT')
  const pid = await serverPid(dataDir)
  const second = await start(dataDir)
  expect([await isRunning(dataDir), await serverPid(dataDir)]).toEqual([true, pid])
  const ofFirst = () => connect(second)`select from pg_stat_activity where pid = ${lease!.pid}`
  await until(async () => (await ofFirst()).length === 0)
  await second.stop()
  expect(await isRunning(dataDir)).toBe(false)
})

it('stopping twice is stopping once', async () => {
  const dataDir = await newDatabase()
  const embedded = await start(dataDir)
  expect(await isRunning(dataDir)).toBe(true)
  await Promise.all([embedded.stop(), embedded.stop()])
  expect(await isRunning(dataDir)).toBe(false)
})

function findLeases(sql: ReturnType<typeof connect>) {
  return sql<{ pid: number }[]>`
    select a.pid
    from pg_stat_activity a
    join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
    where a.application_name = 'postern lease'`
}
