import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import type { Database } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { startEmbedded } from '../embedded/start.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that tests clone their databases on. */
    server: Database
    template: string
  }
}

const quiet = { info: () => undefined, warn: () => undefined }

/** One server for the whole run, with one migrated template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.TEST_DATABASE_URL
  const folder = join(tmpdir(), `postern-test-${randomUUID().slice(0, 8)}`)
  const embedded = external ? null : await startEmbedded({ dataDir: folder, log: quiet })
  const server: Database = external ?? embedded?.connection ?? ''
  const template = `postern_template_${process.pid}`
  const admin = open(server)
  await admin.unsafe(`create database ${template}`)
  const sql = open(server, template)
  await migrate(sql)
  await sql.end()
  project.provide('server', server)
  project.provide('template', template)
  return async () => {
    await admin.unsafe(`drop database if exists ${template} with (force)`)
    await admin.end()
    await embedded?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const open = (server: Database, database?: string) => {
  const options = { max: 1, onnotice: () => undefined, ...(database ? { database } : {}) }
  return typeof server === 'string' ? postgres(server, options) : postgres({ ...server, ...options })
}
