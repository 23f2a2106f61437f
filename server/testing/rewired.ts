import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Database } from '../db/connect.ts'
import { sizeOf, through, upstreamOf } from './proxy.ts'

/** A way to the database that knows its messages, and can do to answers what no network should. */
export interface Rewired {
  readonly database: Database
  /** Connections that are open. */
  readonly open: () => number
  /** The next so many answers with more than two rows end in an error after the second row, as a statement does that fails half-way. */
  failHalfway(answers: number): void
  /** How many answers were made to fail. */
  readonly failed: () => number
  /** Holds everything that the server says for so many milliseconds. */
  stall(milliseconds: number): void
  /** From now on each of two idle connections gets the other's answers. */
  cross(): void
  /** Says something over every connection that nobody asked for. */
  say(message: Buffer): void
  /** From now on the server says of each row what this makes of it. */
  alterRows(alter: Alter): void
  /** Cuts every connection. */
  cut(): void
  close(): Promise<void>
}

interface Wire {
  readonly client: Socket
  readonly upstream: Socket
  /** Who gets what the server says here. */
  to: Socket
  held: Buffer[]
  rows: number
  isFailing: boolean
}

/** One message in, any number out. */
type Alter = (row: Buffer) => Buffer[]

interface Orders {
  failing: number
  failed: number
  isHeld: boolean
  alter: Alter
}

const quiet = (socket: Socket): Socket => socket.on('error', () => undefined)

export async function openRewired(database: Database): Promise<Rewired> {
  const wires = new Set<Wire>()
  const orders: Orders = { failing: 0, failed: 0, isHeld: false, alter: (row) => [row] }
  const server = createServer((client) => {
    const upstream = quiet(connect(upstreamOf(database)))
    const wire: Wire = { client: quiet(client), upstream, to: client, held: [], rows: 0, isFailing: false }
    wires.add(wire)
    client.pipe(upstream)
    readMessages(upstream, (message) => {
      for (const said of rewrite(wire, message, orders)) {
        if (orders.isHeld) wire.held.push(said)
        else wire.to.write(said)
      }
    })
    upstream.once('close', () => client.destroy())
    client.once('close', () => {
      wires.delete(wire)
      upstream.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const release = () => {
    orders.isHeld = false
    for (const wire of wires) for (const said of wire.held.splice(0)) wire.to.write(said)
  }
  return {
    database: through(database, (server.address() as AddressInfo).port),
    open: () => wires.size,
    failHalfway: (answers) => {
      orders.failing += answers
    },
    failed: () => orders.failed,
    stall: (milliseconds) => {
      orders.isHeld = true
      setTimeout(release, milliseconds)
    },
    cross: () => {
      const [one, other] = wires
      if (!one || !other) throw new Error('There are no two connections to cross')
      ;[one.to, other.to] = [other.client, one.client]
    },
    say: (message) => {
      for (const { to } of wires) to.write(message)
    },
    alterRows: (alter) => {
      orders.alter = alter
    },
    cut: () => {
      for (const { client } of wires) client.destroy()
    },
    close: async () => {
      for (const { client } of wires) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function readMessages(from: Socket, take: (message: Buffer) => void): void {
  let pending = Buffer.alloc(0)
  from.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (let size = sizeOf(pending); size <= pending.length; size = sizeOf(pending)) {
      take(pending.subarray(0, size))
      pending = pending.subarray(size)
    }
  })
}

const is = (message: Buffer, type: string): boolean => message[0] === type.charCodeAt(0)

/** What is said in place of a message. */
function rewrite(wire: Wire, message: Buffer, orders: Orders): Buffer[] {
  if (is(message, 'Z')) {
    wire.rows = 0
    wire.isFailing = false
    return [message]
  }
  if (wire.isFailing) return []
  if (!is(message, 'D')) return [message]
  wire.rows += 1
  if (wire.rows <= 2 || orders.failing === 0) return orders.alter(message)
  orders.failing -= 1
  orders.failed += 1
  wire.isFailing = true
  return [lockNotAvailable]
}

/** An ordinary error: nothing but its place in the middle of an answer says that something is odd. */
const fields = Buffer.from('SERROR\0VERROR\0C55P03\0Mcanceling statement due to lock timeout\0\0')
const size = Buffer.alloc(4)
size.writeInt32BE(fields.length + 4)
const lockNotAvailable = Buffer.concat([Buffer.from('E'), size, fields])
