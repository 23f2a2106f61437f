import postgres from 'postgres'
import type { Database } from '../db/connect.ts'

/** What better-auth expects of `pg`, by our own driver. */
export function betterAuthPool(database: Database) {
  const options = { max: 4, onnotice: () => undefined, types: { date: dateAsText } }
  const sql = typeof database === 'string' ? postgres(database, options) : postgres({ ...database, ...options })
  return {
    sql,
    connect: async () => {
      const reserved = await sql.reserve()
      return {
        query: async (text: string, values: readonly unknown[] = []) => {
          const rows = await reserved.unsafe(text, values as never[])
          return { command: rows.command, rowCount: rows.count, rows: [...rows] }
        },
        release: () => reserved.release(),
      }
    },
    end: () => sql.end(),
  }
}

/** better-auth gives dates, which stay dates. */
const dateAsText = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: unknown) => (value instanceof Date ? value.toISOString() : String(value)),
  parse: (text: string) => new Date(text),
}
