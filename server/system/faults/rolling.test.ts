import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Environment } from '../../config.ts'
import type { Database } from '../../db/connect.ts'
import { cloneDatabase, emptyDatabase, settingsOf } from '../../testing/database.ts'
import { signUpAt, signUpReaders, startLoad, tell } from '../../testing/load.ts'
import { buildPreviousRelease } from '../../testing/previous-release.ts'
import { ownPort, type Spawned, servingUntilTold, spawnServer } from '../../testing/process.ts'
import { kills, upgradeRequests } from '../../testing/rounds.ts'
import { slack } from '../../testing/slack.ts'

// Instances are started and stopped, one after another.
vi.setConfig({ testTimeout: (120_000 + 20 * upgradeRequests) * slack })

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  cloned = await cloneDatabase()
})
afterAll(() => cloned.drop())

interface Instance {
  readonly service: Spawned
  readonly url: string
  /** Requests that the balancer may give to it, or has given to it. */
  readonly pending: Set<object>
}

async function startInstance(database: Database, settings: Environment = {}, module?: string): Promise<Instance> {
  const given = { ...(await ownPort()), ...settingsOf(database), ...settings }
  const service = spawnServer(given, servingUntilTold, module)
  return { service, url: await service.untilListening(), pending: new Set() }
}

/** A small load balancer: asks for each request who is ready, keeps its connections, repeats nothing. */
function openBalancer(instances: Instance[]): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  let turn = 0
  // Asked by the clock, what it knows could be old by the time that a busy machine comes to use it.
  const choose = async (asked: object): Promise<Instance> => {
    for (;;) {
      turn += 1
      const instance = instances[turn % instances.length]!
      instance.pending.add(asked)
      if ((await tell(`${instance.url}/ready`)).status === 200) return instance
      instance.pending.delete(asked)
    }
  }
  // Node closes an idle connection after 5 s. On a busy machine, the next request may already be on its way on it.
  const balancer = createServer({ keepAliveTimeout: 600_000 }, (incoming, outgoing) => {
    void choose(incoming).then(({ url, pending }) => {
      outgoing.once('close', () => pending.delete(incoming))
      forward(incoming, outgoing, new URL(incoming.url ?? '', url), agent)
    })
  })
  balancer.once('close', () => agent.destroy())
  return balancer
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, to: URL, agent: Agent): void {
  const { method, headers } = incoming
  const onwards = request(to, { method, headers, agent }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(outgoing)
  })
  onwards.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
  incoming.pipe(onwards)
}

/** Ends an instance when nobody comes to it any more, as its notice does where no machine stands still. */
async function leave({ service, url, pending }: Instance): Promise<unknown> {
  void service.kill('SIGTERM')
  await expect.poll(async () => (await tell(`${url}/ready`)).status).toBe(503)
  const earlier = [...pending]
  await expect.poll(() => earlier.filter((asked) => pending.has(asked))).toEqual([])
  return service.kill('SIGUSR2')
}

/** Each of the two that there are at first, at the least. */
const replacements = Math.max(2, Math.min(4, kills))

/** Replaces the oldest instance several times under load: each time after so many requests to old and new together. */
async function replaceUnderLoad(
  instances: Instance[],
  start: () => Promise<Instance>,
  [times, requests]: [number, number],
) {
  const balancer = openBalancer(instances).listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}/api/auth`
  const { ask, wrong } = await signUpReaders(url)
  const [reads, signUps] = [startLoad(ask, 8), startLoad(() => signUpAt(url, []), 2)]
  const codes: unknown[] = []
  for (let round = 0; round < times; round += 1) {
    const [oldest] = instances
    instances.push(await start())
    // Both are asked for as long as this takes.
    const before = reads.outcomes.length + requests
    await expect.poll(() => reads.outcomes.length, { timeout: 3_600_000 * slack }).toBeGreaterThan(before)
    codes.push(await leave(oldest!))
    instances.splice(instances.indexOf(oldest!), 1)
  }
  await Promise.all([reads.stop(), signUps.stop()])
  const failed = [...reads.outcomes, ...signUps.outcomes].filter(({ status }) => status !== 200)
  for (const { service } of instances) await service.kill()
  balancer.closeAllConnections()
  balancer.close()
  return { failed, codes, wrong }
}

it('loses no request while two instances are replaced in turn behind a balancer', async () => {
  const start = () => startInstance(cloned.database)
  const replaced = await replaceUnderLoad([await start(), await start()], start, [replacements, 1])
  expect(replaced).toEqual({ failed: [], codes: Array(replacements).fill(0), wrong: [] })
})

it(`loses no request while the previous release is replaced by this one, ${upgradeRequests} requests`, async () => {
  const empty = await emptyDatabase()
  const previous = await buildPreviousRelease()
  // Made by the previous release; the first of this one brings it up to date under load.
  const started = await startInstance(empty.database, { MIGRATE: 'on' }, previous)
  const instances = [started, await startInstance(empty.database, {}, previous)]
  const replaced = await replaceUnderLoad(instances, () => startInstance(empty.database, { MIGRATE: 'on' }), [
    2,
    upgradeRequests / 2,
  ])
  expect(replaced).toEqual({ failed: [], codes: [0, 0], wrong: [] })
  await empty.drop()
})
