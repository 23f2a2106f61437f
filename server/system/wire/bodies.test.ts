import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { useTestService, useWire } from '../../testing/use-service.ts'
import { rawRequest, readReply } from '../../testing/wire.ts'

const service = useTestService()
const wire = useWire(service)

const line = 'POST /api/auth/sign-out'
const json = { 'Content-Type': 'application/json' }
const megabyte = 1024 * 1024

const isAlive = async () => (await wire.exchange(rawRequest('GET /api/auth/ok'))).status === 200

/** Bytes that buffers hold: not of the process, which keeps what tests before have used and would hide it here. */
const buffered = () => process.memoryUsage().arrayBuffers

/** Writes until the other side has closed or `amount` bytes were taken; tells how many, and by how much the buffers grew. */
async function pour(socket: Socket, chunk: Buffer, amount: number) {
  const before = buffered()
  let [taken, growth] = [0, 0]
  while (taken < amount && !socket.destroyed) {
    const isTaken = socket.write(chunk)
    taken += chunk.length
    if (!isTaken) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
    growth = Math.max(growth, buffered() - before)
  }
  return { taken, growth }
}

const chunked = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
const plain = Buffer.alloc(0x10000, 'x')

describe('a gigabyte', () => {
  it.each([
    ['without a length', rawRequest(line, { ...json, 'Transfer-Encoding': 'chunked' }), chunked],
    [
      'on a connection that stays',
      rawRequest(line, { ...json, Connection: 'keep-alive', 'Transfer-Encoding': 'chunked' }),
      chunked,
    ],
    ['with its length', rawRequest(line, { ...json, 'Content-Length': String(1024 * megabyte) }), plain],
    [
      'of a type that is not read',
      rawRequest(line, { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' }),
      chunked,
    ],
    ['for a path that is none', rawRequest('POST /nothing', { ...json, 'Transfer-Encoding': 'chunked' }), chunked],
    [
      'with a method that is none',
      rawRequest('PUT /api/auth/ok', { ...json, 'Transfer-Encoding': 'chunked' }),
      chunked,
    ],
  ])('%s is answered at once and cut long before its end', async (_name, head, chunk) => {
    const socket = await wire.connect()
    const reply = readReply(socket)
    socket.write(head)
    const { taken, growth } = await pour(socket, chunk, 1024 * megabyte)
    const { status, body } = await reply
    expect([404, 413]).toContain(status)
    expect(body).toBe(status === 413 ? '{"code":"PAYLOAD_TOO_LARGE","message":"Payload too large"}' : '')
    // What is on its way is taken and thrown away for half a second, 64 MB at the most, so that the answer can be read.
    expect(taken).toBeLessThan(256 * megabyte)
    expect(growth).toBeLessThan(128 * megabyte)
    expect(await isAlive()).toBe(true)
  })
})

describe('a length that cannot be true', () => {
  const start = [line, 'HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json'].join(' ')
  it.each([
    ['a length and chunks', `${start}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['chunks and a length', `${start}\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['two lengths', `${start}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['two lengths in one', `${start}\r\nContent-Length: 2, 2\r\n\r\n{}`],
    ['a negative length', `${start}\r\nContent-Length: -1\r\n\r\n{}`],
    ['a length with a sign', `${start}\r\nContent-Length: +2\r\n\r\n{}`],
    ['a hexadecimal length', `${start}\r\nContent-Length: 0x2\r\n\r\n{}`],
    ['a length that overflows', `${start}\r\nContent-Length: 99999999999999999999\r\n\r\n{}`],
    ['a coding that ends elsewhere', `${start}\r\nTransfer-Encoding: gzip\r\n\r\n{}`],
    [
      'chunks that are not the last coding',
      `${start}\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'two codings',
      `${start}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a chunk without a size', `${start}\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n`],
    ['a chunk of a negative size', `${start}\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`],
    ['a space before the colon', `${start}\r\nContent-Length : 2\r\n\r\n{}`],
    ['a bare line feed', `${start}\nContent-Length: 2\n\n{}`],
  ])('%s is 400', async (_name, request) => {
    const { status } = await wire.exchange(request)
    expect(status).toBe(400)
    expect(await isAlive()).toBe(true)
  })

  it('reads no second request out of a body that is longer than declared', async () => {
    const smuggled = '{}GET /api/auth/ok HTTP/1.1\r\nHost: x\r\n\r\n'
    const { status, body } = await wire.exchange(`${start}\r\nContent-Length: 2\r\n\r\n${smuggled}`)
    expect([status, body.includes('"ok"')]).toEqual([400, false])
  })

  it('forgets a request whose client leaves in the middle of its body', async () => {
    service.statements.forget()
    const socket = await wire.connect()
    socket.write(`${start}\r\nContent-Length: 1000\r\n\r\n{"email":`)
    socket.destroy()
    await expect.poll(isAlive).toBe(true)
    expect(service.statements.list).toEqual([])
    expect(service.logged.filter(({ status }) => status === 500)).toEqual([])
  })
})

it('answers a body that is too long also to a client that sends it all before it reads', async () => {
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      wire.exchange(rawRequest(line, json, 'x'.repeat(70_000 + index * 20_000))),
    ),
  )
  expect(replies.filter(({ status }) => status !== 413)).toEqual([])
})

it('takes no body with a GET', async () => {
  const { status, body } = await wire.exchange(rawRequest('GET /api/auth/ok', json, '{"__proto__":1}'))
  expect([status, body]).toEqual([200, '{"ok":true}'])
})

it('refuses headers of more than 16 kB and lives on', async () => {
  const { status, body } = await wire.exchange(rawRequest('GET /api/auth/ok', { Cookie: 'x'.repeat(16_384) }))
  expect([status, JSON.parse(body).code]).toEqual([431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'])
  expect(await isAlive()).toBe(true)
})
