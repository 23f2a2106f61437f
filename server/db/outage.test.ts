import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { connect } from './connect.ts'

/** The error of a server that accepts no connections. */
const fatal = (code: string) => {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`)
  const head = Buffer.from('E....')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

it.each(['08P01', '53300', '57P03'])(
  'a pooler or server that says %s is an outage, and nothing was done',
  async (code) => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(fatal(code))),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sql = connect(`postgres://a@127.0.0.1:${port}/b`, { connections: 1, prepare: true })
    await expect(sql`select 1`).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
    await sql.end({ timeout: 0 })
    server.close()
  },
)
