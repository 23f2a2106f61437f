import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openLoopback } from '../../testing/ha/network.ts'
import { asPostgres, type Place, preparePlace } from '../../testing/ha/place.ts'
import { Supervised } from '../../testing/ha/supervised.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

// HAProxy as it is shipped, before database machines that only say what Patroni would.

/** `lock`: it took the lock, but was not promoted yet. `nothing`: it takes the question and never answers. */
type Claim = 'primary' | 'lock' | 'standby' | 'nothing'

class Machine {
  claim: Claim = 'standby'
  /** How often it was asked. */
  asked = 0
  readonly #servers: readonly Server[]

  constructor(name: string, host: string) {
    const patroni = createHttpServer((_request, response) => {
      this.asked += 1
      if (this.claim === 'nothing') return
      const role = this.claim === 'primary' ? 'master' : 'replica'
      response.writeHead(this.claim === 'standby' ? 503 : 200).end(`{"state": "running", "role": "${role}"}`)
    })
    const postgres = createServer((socket) => socket.on('error', () => undefined).write(name))
    this.#servers = [patroni.listen(8008, host), postgres.listen(5432, host)]
  }

  close(): void {
    for (const server of this.#servers) server.close()
  }
}

vi.setConfig({ testTimeout: 60_000 * slack })

let place: Place
let haproxy: Supervised
let machines: readonly [Machine, Machine, Machine]
beforeAll(() => {
  const network = openLoopback()
  place = preparePlace(temporaryFolder('primary-route'), network, 4100)
  const [one, two, three] = network.hosts
  machines = [new Machine('pg1', one), new Machine('pg2', two), new Machine('pg3', three)]
  const command = asPostgres('/usr/sbin/haproxy', '-db', '-f', join(place.front, 'haproxy.cfg'))
  haproxy = new Supervised({ command, log: place.log('haproxy') })
})
afterAll(async () => {
  await haproxy.stop('SIGKILL')
  for (const machine of machines) machine.close()
})

function open(): Socket {
  const { PRIMARY_HOST: host = '', PRIMARY_PORT: port } = place.values
  return connect(Number(port), host).on('error', () => undefined)
}

/** The machine at the other end of a connection; `nobody` if it is closed instead. */
const otherEnd = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes))).once('close', () => resolve('nobody'))
  })

async function route(): Promise<string> {
  const socket = open()
  const name = await otherEnd(socket)
  socket.destroy()
  return name
}

async function untilRoute(name: string): Promise<void> {
  await expect.poll(route, { timeout: 30_000 * slack }).toBe(name)
}

/** A connection that stays open, and whether it was closed. */
async function hold() {
  const socket = open()
  const name = await otherEnd(socket)
  return { name, closed: once(socket, 'close'), isOpen: () => !socket.destroyed }
}

/** Changes what is said, and waits until HAProxy has heard it from each as often as it takes to believe it. */
async function say(...claims: readonly [Claim, Claim, Claim]): Promise<void> {
  for (const [index, machine] of machines.entries()) machine.claim = claims[index]!
  const before = machines.map(({ asked }) => asked)
  const heard = () => Math.min(...machines.map(({ asked }, index) => asked - before[index]!))
  await expect.poll(heard, { timeout: 30_000 * slack }).toBeGreaterThan(2)
}

const routes = async () => new Set(await Promise.all(Array.from({ length: 12 }, route)))

it('a switch cuts the connections to the old primary, and waits until the new one was promoted', async () => {
  await say('primary', 'standby', 'standby')
  await untilRoute('pg1')
  const held = await hold()
  await say('standby', 'lock', 'standby')
  await held.closed
  expect(await routes()).toEqual(new Set(['nobody']))
  await say('standby', 'primary', 'standby')
  await untilRoute('pg2')
  expect(await routes()).toEqual(new Set(['pg2']))
})

it('a connection stays with its machine while two claim to be the primary, and ends once its own no longer does', async () => {
  await say('standby', 'primary', 'standby')
  await untilRoute('pg2')
  const held = await hold()
  await say('primary', 'primary', 'standby')
  expect([held.name, held.isOpen()]).toEqual(['pg2', true])
  await say('primary', 'standby', 'standby')
  await held.closed
  expect(await routes()).toEqual(new Set(['pg1']))
})

it.each(['standby', 'nothing'] as const)('nobody is asked when the only primary says %s', async (claim) => {
  await say('standby', 'standby', 'primary')
  await untilRoute('pg3')
  const held = await hold()
  await say('standby', 'standby', claim)
  await held.closed
  expect(await routes()).toEqual(new Set(['nobody']))
})
