// Prints the figures of docs/performance.md. Loopback only, bounded, ends by itself: `npm run bench`.
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyMigrations, connect, createLog, openDatabase, parseConfig } from '../../dist/server/main.js'
import { measureGreedy } from './greedy.js'
import { getSession, load, median, print, signUp, startServer } from './measure.js'
import { countStatements } from './statements.js'

const secret = randomBytes(32).toString('base64url')
const dataDir = join(tmpdir(), `postern-bench-${process.pid}`)
const config = parseConfig({ SECRET: secret, LOG_LEVEL: 'warn', LOG_FORMAT: 'json', DATA_DIR: dataDir })
const log = await createLog(config)

const coldStart = performance.now()
const opened = await openDatabase(config, log)
await applyMigrations(opened.database, log)
print('first database: initialised, started, migrated', `${(performance.now() - coldStart).toFixed(0)} ms`)

const { host, user } = opened.database
const addressOf = (name) => `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`
const admin = connect(opened.database, { connections: 1, prepare: true })
await admin`create database peer`
await admin.end()

const env = {
  SECRET: secret,
  LOG_LEVEL: 'error',
  LOG_FORMAT: 'json',
  RATE_LIMIT: 'off',
  PORT: '0',
  BASE_URL: 'http://localhost:4100',
  DATABASE_URL: addressOf(opened.database.database),
}
const hasPeer = existsSync(new URL('node_modules', import.meta.url))
const start = performance.now()
const ours = await startServer('ours.js', env)
print('cold start to ready, database running', `${(performance.now() - start).toFixed(0)} ms`)
print('resident memory, idle', `${(await ours.cost()).rss.toFixed(0)} MB`)

const contenders = { ours, limit: await startServer('limit.js', env) }
if (hasPeer) contenders['peer 1.2.8'] = await startServer('peer.js', { ...env, DATABASE_URL: addressOf('peer') })
else print('peer 1.2.8', 'left out; to include it: npm install --prefix server/bench')

const atOnce = 16
/** More than ask at once: one person's session would be looked up once for all of them. */
const crowd = async (server) => {
  const cookies = []
  for (let n = 0; n < 3 * atOnce; n += 1) cookies.push(await signUp(server, `ann-${n}@example.com`))
  return cookies
}
const people = await crowd(ours)
const [cookie] = people
const crowds = { ours: people, limit: people, 'peer 1.2.8': hasPeer ? await crowd(contenders['peer 1.2.8']) : [] }
const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
for (const count of [1000, 4000, 4000, 4000])
  for (const [name, server] of Object.entries(contenders))
    results[name].push(await load(server, { count, width: atOnce, request: getSession(...crowds[name]) }))
const summary = Object.fromEntries(
  Object.entries(results).map(([name, [, ...runs]]) => [
    name,
    { cpu: median(runs.map((run) => run.cpu)), rate: median(runs.map((run) => run.rate)) },
  ]),
)
for (const [name, { cpu, rate }] of Object.entries(summary))
  print(`get-session from the database: ${name}`, `${cpu.toFixed(3)} ms CPU, ${rate.toFixed(0)} requests a second`)
print(
  'get-session: ours against the limit',
  `${((summary.limit.cpu / summary.ours.cpu) * 100).toFixed(0)} % (goal 85 %)`,
)
if (hasPeer)
  print(
    'get-session: ours against the peer',
    `${(summary['peer 1.2.8'].cpu / summary.ours.cpu).toFixed(1)}x CPU, ${(summary.ours.rate / summary['peer 1.2.8'].rate).toFixed(1)}x requests`,
  )

const signIn = () => ({
  path: '/api/auth/sign-in/email',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'ann-0@example.com', password: 'correct horse battery' }),
})
for (const width of [8, 32]) {
  const { rate, p50 } = await load(ours, { count: width * 5, width, request: signIn })
  print(`sign-in, ${width} at once`, `${rate.toFixed(1)} a second, ${p50.toFixed(0)} ms`)
}
const [, beside] = await Promise.all([
  load(ours, { count: 160, width: 32, request: signIn }),
  load(ours, { count: 1000, width: 1, request: getSession(cookie) }),
])
print(
  'get-session while 32 sign-ins run',
  `p50 ${beside.p50.toFixed(1)} ms (goal 5), p99 ${beside.p99.toFixed(1)} ms (goal 60)`,
)
print('resident memory, after load', `${(await ours.cost()).rss.toFixed(0)} MB`)

await measureGreedy(ours, opened.database, cookie)
await countStatements(addressOf(opened.database.database), secret)

for (const server of Object.values(contenders)) await server.stop()
await opened.close()
rmSync(dataDir, { recursive: true, force: true })
