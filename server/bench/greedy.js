import { Pool } from 'undici'
import { connect } from '../../dist/server/main.js'
import { getSession, load, print, signUp } from './measure.js'

/** Requests that the greedy account keeps in flight, and the organizations that it is in: more than any limit lets in. */
const width = 40
const organizations = 1500

/** What somebody else's get-session costs while one account asks for large answers, as fast as it gets any. */
export async function measureGreedy(server, database, cookie) {
  const greedy = await signUp(server, 'greedy@example.com')
  await fill(database, 'greedy@example.com')
  for (const call of ['list', 'get-full-organization']) {
    const path = `/api/auth/organization/${call}`
    const flood = startFlood(server, { path, method: 'GET', headers: { cookie: greedy } })
    const { p50, p99 } = await load(server, { count: 200, width: 1, request: getSession(cookie) })
    const { statuses, largest } = await flood.stop()
    print(`get-session while 40 of ${call} are in flight`, `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    print('  the 40 were answered', `${JSON.stringify(statuses)}, ${(largest / 1024).toFixed(0)} KB at most`)
  }
}

function startFlood(server, request) {
  const pool = new Pool(server.url, { connections: width, pipelining: 1 })
  const statuses = {}
  let largest = 0
  let isOver = false
  const worker = async () => {
    while (!isOver) {
      const { statusCode, body } = await pool.request(request)
      largest = Math.max(largest, (await body.arrayBuffer()).byteLength)
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  const workers = Array.from({ length: width }, worker)
  const stop = async () => {
    isOver = true
    await Promise.all(workers)
    await pool.close()
    return { statuses, largest }
  }
  return { stop }
}

/** Each with metadata as long as it may be; and one of them with as many teams and answered invitations. */
async function fill(database, email) {
  const sql = connect(database, { connections: 1, prepare: true })
  const [{ id }] = await sql`select id from users where email = ${email}`
  const numbers = sql`generate_series(1, ${organizations}::integer) n`
  await sql`
    insert into organizations (id, name, slug, metadata)
    select 'greedy-' || n, 'Greedy', 'greedy-' || n, json_build_object('text', repeat('x', 15000)) from ${numbers}
  `
  await sql`
    insert into members (id, organization_id, user_id, roles)
    select 'greedy-' || n, 'greedy-' || n, ${id}, '{owner}' from ${numbers}
  `
  await sql`
    insert into teams (id, organization_id, name) select 'greedy-' || n, 'greedy-1', 'Team' from ${numbers}
  `
  await sql`
    insert into invitations (id, organization_id, email, roles, status, inviter_id, expires_at)
    select 'greedy-' || n, 'greedy-1', n || '@example.com', '{member}', 'rejected', ${id}, now() from ${numbers}
  `
  await sql`update sessions set active_organization_id = 'greedy-1' where user_id = ${id}`
  await sql.end()
}
