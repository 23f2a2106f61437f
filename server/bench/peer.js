// The reference server 1.2.8 with its organization, admin and bearer plugins, on hono and pg.
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db'
import { admin, bearer, organization } from 'better-auth/plugins'
import { Hono } from 'hono'
import pg from 'pg'
import { listen } from './child.js'

const url = new URL(process.env.DATABASE_URL)
const database = new pg.Pool({
  host: url.searchParams.get('host'),
  user: url.username,
  database: url.pathname.slice(1),
  max: 10,
})
const options = {
  database,
  baseURL: 'http://localhost:4100',
  secret: process.env.SECRET,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  session: process.env.COOKIE_CACHE === 'on' ? { cookieCache: { enabled: true, maxAge: 60 } } : {},
  plugins: [organization(), admin(), bearer()],
  logger: { disabled: true },
}
await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)
listen(new Hono().on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw)).fetch)
