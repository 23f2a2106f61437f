import { connect, createApp, createLog, createParts, parseConfig } from '../../dist/server/main.js'
import { print } from './measure.js'

const limits = { 'POST /sign-up/email': 2, 'POST /sign-in/email': 2, 'GET /get-session': 1, 'GET /list-sessions': 2 }

/** Statements of each call, begin and commit apart, against the most that it may take. */
export async function countStatements(database, secret) {
  let count = 0
  const config = parseConfig({ SECRET: secret, LOG_LEVEL: 'silent', LOG_FORMAT: 'json' })
  const isCounted = (text) => !/^\s*(begin|commit)|pg_catalog|select 1/.test(text)
  const sql = connect(database, {
    connections: 1,
    prepare: true,
    onStatement: (text) => (count += isCounted(text) ? 1 : 0),
  })
  await sql`select 1`
  const app = createApp({ ...createParts(config, await createLog(config)), sql })
  const credentials = JSON.stringify({ email: 'count@example.com', password: 'correct horse battery', name: 'Ann' })
  let cookie = ''
  for (const [call, limit] of Object.entries(limits)) {
    const [method, path] = call.split(' ')
    const isPost = method === 'POST'
    count = 0
    const headers = isPost ? { 'content-type': 'application/json' } : { cookie }
    const answer = await app.request(`http://localhost/api/auth${path}`, {
      method,
      headers,
      ...(isPost ? { body: credentials } : {}),
    })
    if (!answer.ok) throw new Error(`${call} answered ${answer.status}`)
    cookie =
      answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ') || cookie
    print(`statements: ${call}`, `${count} (at most ${limit})`)
  }
  await sql.end()
}
