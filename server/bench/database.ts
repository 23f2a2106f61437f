import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbedded } from '../embedded/start.ts'
import { type Cost, costOf, memoryOf } from './processes.ts'

/** A PostgreSQL that lasts as long as a run, with its usual durability, reached by TCP as a service reaches its server. */
export interface BenchDatabase {
  readonly version: string
  /** An empty database; gives its address. */
  create(name: string): Promise<string>
  cost(): Cost
  memoryMb(): number
  stop(): Promise<void>
}

const quiet = { info: () => undefined, warn: () => undefined }

export async function startDatabase(): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  // Its port is fixed, and so is the address from which it takes connections, but all of 127.0.0.0/8 is this machine.
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
  const embedded = await startEmbedded({ dataDir, log: quiet, settings: [`listen_addresses=${address}`] })
  const admin = postgres({ ...embedded.connection, max: 1, onnotice: () => undefined })
  const [row] = await admin<{ version: string }[]>`select current_setting('server_version') as version`
  const root = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
  return {
    version: row?.version ?? '',
    create: async (name) => {
      await admin`drop database if exists ${admin(name)} with (force)`
      await admin`create database ${admin(name)}`
      return `postgres://${embedded.connection.user}@${address}:5432/${name}`
    },
    cost: () => costOf(root),
    memoryMb: () => memoryOf(root),
    stop: async () => {
      await admin.end()
      await embedded.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
