// The least code that does the work on the packages that the service uses. LIMIT says which work:
//   session  get-session on the service's own database: verify the cookie, one statement, one JSON answer
//   hash     sign-in and sign-up: argon2id at the service's cost, as many at once as there are cores, no database
//   hello    any answer: a constant one, without a framework
import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { serve } from '@hono/node-server'
import { hash as makeHash, verify } from '@node-rs/argon2'
import { Hono } from 'hono'
import postgres from 'postgres'

const { LIMIT, PORT, DATABASE_URL, SECRET } = process.env

function sessionApp() {
  const sql = postgres(DATABASE_URL, { max: 10, transform: { column: { from: postgres.toCamel } } })
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'postern:cookie:v1', 32))
  const name = 'postern.session_token'
  const tokenOf = (header) => {
    const text = decodeURIComponent(header.slice(header.indexOf(`${name}=`) + name.length + 1).split(';')[0])
    const dot = text.lastIndexOf('.')
    const mac = createHmac('sha256', key)
      .update(`cookie:${name}:${text.slice(0, dot)}`)
      .digest()
    return timingSafeEqual(mac, Buffer.from(text.slice(dot + 1), 'base64')) ? text.slice(0, dot) : null
  }
  return new Hono().get('/api/auth/get-session', async (c) => {
    const token = tokenOf(c.req.header('cookie'))
    const [row] = await sql`
      select s.id, s.user_id, s.expires_at, s.created_at, s.updated_at, s.ip_address, s.user_agent, s.label,
        s.active_organization_id, s.impersonated_by, s.expires_at <= now() as is_expired,
        u.email, u.name, u.email_verified, u.image, u.roles as role, u.banned, u.ban_reason, u.ban_expires,
        u.created_at as user_created_at, u.updated_at as user_updated_at
      from sessions s join users u on u.id = s.user_id
      where s.token_hash = ${hash('sha256', token, 'buffer')}
    `
    const { email, name: person, emailVerified, image, role: roles, banned, banReason, banExpires, ...session } = row
    const role = roles && roles.join(',')
    const user = { id: row.userId, email, name: person, emailVerified, image, role, banned, banReason, banExpires }
    return c.json({ session: { ...session, token }, user })
  })
}

async function hashApp() {
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
  const stored = await makeHash('correct horse battery 1', cost)
  let free = availableParallelism()
  const waiting = []
  const inTurn = async (work) => {
    if (free > 0) free -= 1
    else await new Promise((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
  const answer = { token: 'token', user: { id: 'user' } }
  return new Hono()
    .post('/api/auth/sign-in/email', async (c) => {
      const { password } = await c.req.json()
      return (await inTurn(() => verify(stored, password))) ? c.json(answer) : c.json({}, 401)
    })
    .post('/api/auth/sign-up/email', async (c) => {
      const { password } = await c.req.json()
      await inTurn(() => makeHash(password, cost))
      return c.json(answer)
    })
}

function listenHello() {
  const body = JSON.stringify({ session: { userId: 'user', token: 'token' }, user: { id: 'user' } })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  createServer((_, response) => response.writeHead(200, headers).end(body)).listen(Number(PORT), '127.0.0.1')
}

if (LIMIT === 'hello') listenHello()
else {
  const app = LIMIT === 'session' ? sessionApp() : await hashApp()
  app.get('/api/auth/ok', (c) => c.json({ ok: true }))
  serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' })
}
