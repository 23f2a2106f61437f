import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { patience } from '../testing/database.ts'
import { openUntrustedDatabase } from '../testing/untrusted-database.ts'
import { connect } from './connect.ts'
import { createOptionalWrite } from './optional-write.ts'
import { outageAsFailure, retryConflict, retryRead, writeThroughOutage } from './outage.ts'

const message = (type: string, body: Buffer | string = '') => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(Buffer.byteLength(body) + 4)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
}

/** What a server or pooler says before it closes a connection. */
const fatal = (code: string, text: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)
/** Signed in without a password, and ready for a query. */
const welcome = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', 'I')])

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A pool of one connection whose server answers the messages of each connection in this order, and then closes. */
async function poolAnswered(...answers: readonly Buffer[]) {
  const counts = { connections: 0 }
  const server = createServer((socket: Socket) => {
    counts.connections += 1
    const left = [...answers]
    socket
      .on('error', () => undefined)
      .on('data', () => {
        const answer = left.shift() ?? Buffer.alloc(0)
        if (left.length > 0) socket.write(answer)
        else socket.end(answer)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sql = connect(`postgres://a@127.0.0.1:${port}/b`, { connections: 1, prepare: false, deadlines: patience })
  closing.push(() => sql.end({ timeout: 0 }).finally(() => server.close()))
  return { sql, counts }
}

const refusal = { failure: 'SERVICE_UNAVAILABLE' }

it.each(['08P01', '28P01', '3D000', '53300', '57P03'])(
  'a pooler or server that says %s is an outage, and nothing was done',
  async (code) => {
    const { sql } = await poolAnswered(fatal(code, 'no'))
    await expect(sql`select 1`).rejects.toMatchObject({ ...refusal, retryAfter: 1 })
  },
)

it('a server whose certificate is not accepted, such as an expired one, is an outage, and nothing was done', async () => {
  const { url, close } = await openUntrustedDatabase()
  const sql = connect(url, { connections: 1, prepare: false, deadlines: patience })
  closing.push(() => sql.end({ timeout: 0 }).finally(close))
  const cause = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }
  await expect(sql`select 1`).rejects.toMatchObject({ ...refusal, retryAfter: 1, cause })
})

it('a certificate that is refused while a statement is under way leaves unknown what was done', () => {
  const broken = Object.assign(new Error('no'), { code: 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', query: 'select 1' })
  expect(outageAsFailure(broken)).toMatchObject({ ...refusal, retryAfter: undefined })
})

it.each([
  ['connect', 'EACCES'],
  ['connect', 'EADDRNOTAVAIL'],
  ['connect', 'EMFILE'],
  ['getaddrinfo', 'EAI_FAIL'],
])('nothing was done where the system refuses %s with %s', (syscall, code) => {
  const unreached = Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
  expect(outageAsFailure(unreached)).toMatchObject({ ...refusal, retryAfter: 1 })
})

// The words of PgBouncer 1.18 and 1.25. `simple` sends one message at once, as BEGIN and COMMIT are sent.
it.each([
  'query_wait_timeout',
  'server login has been failing, try again later (server_login_retry)',
  'server login has been failing, cached error: connect failed (server_login_retry)',
])('nothing was done when PgBouncer says of a statement: %s', async (text) => {
  const { sql } = await poolAnswered(welcome, fatal('08P01', text))
  await expect(sql.unsafe(`insert into written values ('x')`)).rejects.toMatchObject({ ...refusal, retryAfter: 1 })
})

it.each(['server conn crashed?', 'query_timeout', 'said by nobody: query_wait_timeout'])(
  'leaves unknown what was done when PgBouncer says of a statement: %s',
  async (text) => {
    const { sql } = await poolAnswered(welcome, fatal('08P01', text))
    await expect(sql.unsafe(`insert into written values ('x')`)).rejects.toMatchObject({
      ...refusal,
      retryAfter: undefined,
      cause: { code: '08P01', message: text },
    })
  },
)

it.each(['08001', '08004', '25006', '40001', '40P01', '53100', '53200', '53300', '55P03', '57014', '57P03', '57P05'])(
  'nothing was done when a server answers a statement with %s',
  async (code) => {
    const { sql } = await poolAnswered(welcome, fatal(code, 'no'))
    await expect(sql.unsafe('insert into written')).rejects.toMatchObject({ ...refusal, retryAfter: 1 })
  },
)

it.each(['08000', '08003', '08006', '25P03', '25P04', '57P01', '57P02'])(
  'a server that ends a statement or a transaction with %s is an outage, whose outcome is unknown',
  async (code) => {
    const { sql } = await poolAnswered(welcome, fatal(code, 'terminating connection'))
    await expect(sql`select 1`).rejects.toMatchObject({ ...refusal, retryAfter: undefined })
  },
)

it('repeats a read whose connection was ended for being idle at that moment, and lets everybody repeat a write', async () => {
  const { sql, counts } = await poolAnswered(
    welcome,
    fatal('57P05', 'terminating connection due to idle-session timeout'),
  )
  const refused = { ...refusal, retryAfter: 1 }
  await expect(sql`select 1`).rejects.toMatchObject(refused)
  expect(counts.connections).toBe(1)
  await expect(retryRead(async () => sql`select 1`)).rejects.toMatchObject(refused)
  expect(counts.connections).toBe(3)
})

it('repeats a read whose server was lost behind PgBouncer, and none that waited for a server in vain', async () => {
  const crashed = await poolAnswered(welcome, fatal('08P01', 'server conn crashed?'))
  await expect(retryRead(() => crashed.sql.unsafe(`select 1`))).rejects.toMatchObject(refusal)
  const waited = await poolAnswered(welcome, fatal('08P01', 'query_wait_timeout'))
  await expect(retryRead(() => waited.sql.unsafe(`select 1`))).rejects.toMatchObject(refusal)
  expect([crashed.counts.connections, waited.counts.connections]).toEqual([2, 1])
})

it('leaves unknown what was done when a connection breaks and nobody says whether the statement was sent', () => {
  const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  expect(outageAsFailure(broken)).toMatchObject({ ...refusal, retryAfter: undefined })
})

/** Work that always fails in this way, and how often it was tried. */
function failing(error: unknown) {
  const tried = { times: 0 }
  const work = async (): Promise<never> => {
    tried.times += 1
    if (tried.times > 9) throw new Error('Tried for ever')
    throw error
  }
  return { tried, work }
}
const undone = new Failure('SERVICE_UNAVAILABLE', { cause: null, retryAfter: 1 })
const unsure = new Failure('SERVICE_UNAVAILABLE', { cause: null })

it.each([
  ['40P01', 3],
  ['40001', 3],
  ['55P03', 1],
])('work that the server undid with %s is tried %i times', async (code, times) => {
  const { tried, work } = failing(Object.assign(new Error('undone'), { code }))
  await expect(retryConflict(work)).rejects.toMatchObject({ ...refusal, retryAfter: 1 })
  expect(tried.times).toBe(times)
})

it.each([
  ['nothing of it was done', undone],
  ['nobody knows what was done', unsure],
])(
  'a write that nobody can ask for again is repeated after each pause, and then the outcome is unknown: %s',
  async (_why, error) => {
    const { tried, work } = failing(error)
    await expect(writeThroughOutage(work, [0, 0])).rejects.toMatchObject({ ...refusal, retryAfter: undefined })
    expect(tried.times).toBe(3)
  },
)

it('a write that is wrong is not repeated', async () => {
  const wrong = Object.assign(new Error('wrong'), { retryAfter: 1 })
  const { tried, work } = failing(wrong)
  await expect(writeThroughOutage(work, [0])).rejects.toBe(wrong)
  expect(tried.times).toBe(1)
})

it('a write that a later request does as well may be left out only when nothing of it was done', async () => {
  const leaveOut = (error: Error) => createOptionalWrite(pino({ enabled: false }), () => 0)(failing(error).work)
  expect(await leaveOut(undone)).toBeUndefined()
  for (const error of [unsure, Object.assign(new Error('wrong'), { retryAfter: 1 })])
    await expect(leaveOut(error)).rejects.toBe(error)
})

it('repeats no read that the database gave up itself', async () => {
  const { tried, work } = failing(new Failure('SERVICE_UNAVAILABLE', { cause: { code: '57014' }, retryAfter: 1 }))
  await expect(retryRead(work)).rejects.toMatchObject(refusal)
  expect(tried.times).toBe(1)
})
