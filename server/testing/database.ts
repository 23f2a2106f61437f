import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'
import type { Database } from '../db/connect.ts'

/** A database of its own, cloned from the migrated template; `drop` takes it away. */
export async function cloneDatabase(template = inject('template')) {
  const server = inject('server')
  const name = `${inject('template')}_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const admin =
    typeof server === 'string'
      ? postgres(server, { max: 1, onnotice: () => undefined })
      : postgres({ ...server, max: 1, onnotice: () => undefined })
  await admin.unsafe(`create database ${name} template ${template}`)
  return {
    database: withName(server, name),
    drop: async () => {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
      await admin.end()
    },
  }
}

/** An empty database, for what migrates by itself. */
export const emptyDatabase = () => cloneDatabase('template0')

function withName(server: Database, name: string): Database {
  if (typeof server !== 'string') return { ...server, database: name }
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** The database as settings of a service that is started as its own process. */
export const settingsOf = (database: Database): Record<string, string> =>
  typeof database === 'string' ? { DATABASE_URL: database } : { DATABASE_URL: urlOf(database) }

/** A socket folder stands in the query, as in libpq's addresses. */
const urlOf = ({ host, port, user, database }: Exclude<Database, string>): string =>
  host.startsWith('/')
    ? `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
    : `postgres://${user}@${host}:${port}/${database}`
