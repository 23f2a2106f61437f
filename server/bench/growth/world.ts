import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { migrate } from '../../db/migrate.ts'
import { startEmbedded } from '../../embedded/start.ts'
import { password } from './calls.ts'
import { fill, type Size } from './fill.ts'

/** A filled database and the built service on it. */
export interface World {
  readonly size: Size
  readonly sql: postgres.Sql
  readonly origin: string
  /** Of the service. */
  readonly pid: number
  stop(): Promise<void>
}

const quiet = { info: () => undefined, warn: () => undefined }

/** A throwaway PostgreSQL with its usual durability; `hasten` is for the time in which it is filled. */
export async function startPostgres() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-growth-'))
  const settings = ['max_wal_size=4GB', 'shared_buffers=512MB']
  const embedded = await startEmbedded({ dataDir, log: quiet, settings })
  const { host, user } = embedded.connection
  const open = (database: string) => postgres({ ...embedded.connection, database, max: 1, onnotice: () => undefined })
  const admin = open('postgres')
  return {
    open,
    urlOf: (database: string) => `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    create: async (database: string) => void (await admin.unsafe(`create database ${database}`)),
    hasten: async (isHasty: boolean) => {
      await admin.unsafe(`alter system set fsync = ${isHasty ? 'off' : 'on'}`)
      await admin`select pg_reload_conf()`
      await admin`checkpoint`
    },
    stop: async () => {
      await admin.end()
      await embedded.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** Makes and fills a database, and starts the service on it. */
export async function makeWorld(server: Postgres, size: Size, secret: string): Promise<World> {
  const database = `users_${size.users}`
  await server.create(database)
  const sql = server.open(database)
  await migrate(sql)
  const first = await startService(server.urlOf(database), secret)
  const passwordHash = await hashBy(first.origin, sql)
  await first.stop()
  await fill(sql, size, passwordHash)
  const service = await startService(server.urlOf(database), secret)
  return {
    size,
    sql,
    origin: service.origin,
    pid: service.pid,
    stop: async () => {
      await service.stop()
      await sql.end()
    },
  }
}

/** What the service stores of the password that all have. */
async function hashBy(origin: string, sql: postgres.Sql): Promise<string> {
  const answer = await fetch(`${origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'first@example.com', name: 'First', password }),
  })
  if (!answer.ok) throw new Error(`Sign-up answered ${answer.status}: ${await answer.text()}`)
  const [row] = await sql<{ password: string }[]>`select password from accounts`
  await sql`delete from users`
  return row!.password
}

async function startService(database: string, secret: string) {
  const program = fileURLToPath(new URL('../../../bin/postern.js', import.meta.url))
  const env = {
    PATH: process.env['PATH'],
    HOME: tmpdir(),
    DATABASE_URL: database,
    SECRET: secret,
    RATE_LIMIT: 'off',
    LOG_FORMAT: 'json',
    PORT: '0',
    BASE_URL: 'http://localhost:4100',
  }
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8')
  const origin = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The service did not start:\n${said}`)))
    child.stderr.on('data', (text: string) => {
      if (said.includes('"listening"')) return
      said += text
      const [, url] = /"url":"([^"]+)".*"msg":"listening"/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  return {
    origin,
    pid: child.pid!,
    stop: async () => {
      const exited = once(child, 'exit')
      child.removeAllListeners('exit')
      const gone = once(child, 'exit')
      child.kill()
      await Promise.race([exited, gone])
    },
  }
}
