import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cloneDatabase } from '../../testing/database.ts'
import { type Front, Instances, send, startCaddy, startNginx } from '../../testing/deployed.ts'
import { replacements } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

// Each restart starts a process.
vi.setConfig({ testTimeout: 600_000 * slack, hookTimeout: 300_000 * slack })

const people = 8

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let instances: Instances
let front: Front | undefined
beforeEach(async () => {
  cloned = await cloneDatabase()
  instances = await Instances.start(cloned.database)
})
afterEach(async () => {
  await front?.program.stop()
  await instances.stop()
  await cloned.drop()
})

const stateOf = (url: string) =>
  send(`${url}/api/auth/ready`, 'GET').then(
    ({ status }) => status,
    () => 0,
  )

interface Told {
  /** The number of times that somebody wrote and read. */
  readonly done: number
  readonly failed: readonly string[]
}

/** Somebody who reads and writes without a pause until told to stop. */
async function visit(api: string, name: string, isOver: () => boolean): Promise<Told> {
  const body = { email: `${name}@example.com`, name, password: testPassword }
  const { status, text, cookies } = await send(`${api}/sign-up/email`, 'POST', body)
  const failed = status === 200 ? [] : [`sign-up ${status} ${text}`]
  const cookie = cookies.map((one) => one.split(';')[0]).join('; ')
  let done = 0
  for (; !isOver(); done += 1) {
    const changed = { name: `${name} ${done}` }
    failed.push(
      ...(await problemsOf('POST', '{"status":true}', () => send(`${api}/update-user`, 'POST', changed, cookie))),
    )
    failed.push(...(await problemsOf('GET', changed.name, () => send(`${api}/get-session`, 'GET', undefined, cookie))))
  }
  return { done, failed }
}

const problemsOf = (
  what: string,
  expected: string,
  ask: () => ReturnType<typeof send>,
  expectedStatus = 200,
): Promise<string[]> =>
  ask().then(
    ({ status, text }) => (status === expectedStatus && text.includes(expected) ? [] : [`${what} ${status} ${text}`]),
    (error: Error) => [`${what} ${error.message}`],
  )

/** Followed by what the proxy said, if there is any. */
const failuresWith = ({ program }: Front, told: readonly Told[]): string[] => {
  const failed = told.flatMap((one) => one.failed)
  return failed.length > 0 ? [...failed, program.output] : []
}

it.each([
  ['nginx', startNginx],
  ['Caddy', startCaddy],
])('no request fails behind %s while both instances are replaced', async (_, start) => {
  front = await start(instances.ports)
  const { url } = front
  await expect.poll(() => stateOf(url), { timeout: 60_000 * slack }).toBe(200)
  let isOver = false
  const visits = Array.from({ length: people }, (__, index) => visit(`${url}/api/auth`, `p${index}`, () => isOver))
  try {
    for (let round = 0; round < replacements; round += 1)
      for (const port of instances.ports) await instances.replace(port)
  } finally {
    isOver = true
  }
  const told = await Promise.all(visits)
  expect(failuresWith(front, told)).toEqual([])
  expect(Math.min(...told.map(({ done }) => done))).toBeGreaterThan(replacements)
})

it('no request that writes is refused by Caddy while one of two instances is gone', async () => {
  const [left = 0, gone = 0] = instances.ports
  await instances.end(gone)
  front = await startCaddy([left, gone])
  const url = `${front.url}/api/auth/sign-out`
  await expect.poll(() => stateOf(front?.url ?? ''), { timeout: 60_000 * slack }).toBe(200)
  const failed: string[] = []
  const post = async () => {
    for (let count = 0; count < 1000; count += 1)
      failed.push(...(await problemsOf('POST', 'FAILED_TO_GET_SESSION', () => send(url, 'POST', {}), 400)))
  }
  await Promise.all(Array.from({ length: 16 }, post))
  expect(failuresWith(front, [{ done: 16_000, failed }])).toEqual([])
})
