import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { rested, warm } from '../../testing/ha/readers.ts'
import { type Replicated, startReplicated } from '../../testing/ha/replicated.ts'
import { makeWorld, type World } from '../../testing/ha/world.ts'
import { serviceOn, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

vi.setConfig({ testTimeout: 120_000 * slack, hookTimeout: 200_000 * slack })

let servers: Replicated
let service: TestService
let world: World
beforeEach(async () => {
  servers = await startReplicated()
  service = await openAt(servers.replica.url)
  world = await makeWorld(service)
  await servers.caughtUp()
})
afterEach(async () => {
  await service.stop()
  await servers.stop()
})

/** With the replica's usual deadlines: they are what these tests are about. */
const openAt = (replica: string): Promise<TestService> =>
  serviceOn(servers.primary.url, { DATABASE_URL: servers.primary.url, DATABASE_REPLICA_URL: replica })

const pathOf = ({ acme }: World) => `/organization/list-members?organizationId=${acme.id}`

/** Answers while something happens to the replica, other than the right one. */
async function wrongAnswersDuring(strike: () => void): Promise<unknown[]> {
  const reader = rested(service, world.owner)
  const { text } = await reader.get(pathOf(world))
  const wrong: unknown[] = []
  let isOver = false
  const ask = async () => {
    while (!isOver) {
      const reply = await rested(service, world.owner).get(pathOf(world))
      if (reply.status !== 200 || reply.text !== text) wrong.push([reply.status, reply.text])
    }
  }
  const askers = Array.from({ length: 8 }, ask)
  await sleep(200)
  strike()
  // Until those are answered whom it struck, and others after them.
  const { primary } = service.reads
  await vi.waitFor(() => expect(service.reads.primary).toBeGreaterThan(primary + 100), { timeout: 60_000 * slack })
  isOver = true
  await Promise.all(askers)
  return wrong
}

const warnings = (): unknown[] => service.logged.filter(({ msg }) => String(msg).startsWith('the replica cannot'))

const strikes: Readonly<Record<string, readonly [strike: () => void, repair?: () => void]>> = {
  killed: [() => servers.replica.kill(), () => servers.replica.start()],
  frozen: [() => servers.replica.signal('SIGSTOP'), () => servers.replica.signal('SIGCONT')],
  promoted: [() => servers.promote()],
}

it.each(Object.entries(strikes))('no call fails while the replica is %s', async (_name, [strike, repair]) => {
  await warm(service, world.owner)
  expect(await wrongAnswersDuring(strike)).toEqual([])
  // One, and another for each time that it is tried again meanwhile.
  expect(warnings()).not.toEqual([])
  expect((await service.visitor().get('/ready')).status).toBe(200)
  repair?.()
  if (repair) await warm(service, world.owner)
})

it.each(['the primary itself', 'a server that is not there', 'a replica of another cluster'])(
  'the primary answers where the replica is %s',
  async (what) => {
    const another = what === 'a replica of another cluster' ? await startReplicated() : null
    const urls = { 'the primary itself': servers.primary.url, 'a server that is not there': 'postgres://127.0.0.1:9/x' }
    const misled = await openAt(another?.replica.url ?? urls[what as keyof typeof urls])
    const reader = rested(misled, world.owner)
    const statuses: number[] = []
    await vi.waitFor(
      async () => {
        statuses.push((await reader.get('/organization/list')).status)
        expect(misled.logged.filter(({ msg }) => String(msg).startsWith('the replica cannot'))).toHaveLength(1)
      },
      { timeout: 60_000 * slack, interval: 50 },
    )
    expect([misled.reads.replica, new Set(statuses)]).toEqual([0, new Set([200])])
    await misled.stop()
    await another?.stop()
  },
)
