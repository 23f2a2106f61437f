// The reference server (PEER is 1.2 or 1.7) with the plugins whose calls are measured, on hono and pg, with the pool that
// pg has by default and the indexes that its guide recommends (https://www.better-auth.com/docs/guides/optimizing-for-performance).
// `--migrate` makes the tables and ends.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

const { PEER, PORT, DATABASE_URL, BASE_URL, SECRET, COOKIE_CACHE } = process.env
const { betterAuth } = await import(`better-auth-${PEER}`)
const { admin, bearer, organization } = await import(`better-auth-${PEER}/plugins`)

const database = new pg.Pool({ connectionString: DATABASE_URL })
const options = {
  database,
  baseURL: BASE_URL,
  secret: SECRET,
  trustedOrigins: [BASE_URL],
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  session: { cookieCache: { enabled: COOKIE_CACHE === 'on', maxAge: 300 } },
  plugins: [organization({ teams: { enabled: true } }), admin(), bearer()],
  telemetry: { enabled: false },
  logger: { level: 'error' },
}

const recommended = {
  account: ['userId'],
  invitation: ['email', 'organizationId'],
  member: ['organizationId', 'userId'],
  organization: ['slug'],
  session: ['token', 'userId'],
  user: ['email'],
  verification: ['identifier'],
}

async function migrate() {
  const { getMigrations } = await import(PEER === '1.2' ? 'better-auth-1.2/db' : `better-auth-${PEER}/db/migration`)
  await (await getMigrations(options)).runMigrations()
  const { rows } = await database.query("select tablename, indexdef from pg_indexes where schemaname = 'public'")
  for (const [table, columns] of Object.entries(recommended))
    for (const column of columns)
      if (!rows.some((row) => row.tablename === table && RegExp(`\\("?${column}"?\\)`).test(row.indexdef)))
        await database.query(`create index on "${table}" ("${column}")`)
  await database.end()
}

if (process.argv.includes('--migrate')) await migrate()
else {
  const auth = betterAuth(options)
  const app = new Hono().on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))
  serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' })
}
