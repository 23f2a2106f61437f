import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readPid } from '../../embedded/postmaster.ts'
import { startEmbedded } from '../../embedded/start.ts'
import { type Load, type Outcome, postJson, signUpAt, signUpReaders, startLoad, tell } from '../../testing/load.ts'
import { ownPort, type Spawned, spawnServer } from '../../testing/process.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

/** Of a poll for a server that starts again. */
const restart = { timeout: 15_000 * slack }

const quiet = { info: () => undefined, warn: () => undefined }

let dataDir: string
const running: Spawned[] = []
const started: number[] = []
beforeAll(() => {
  dataDir = temporaryFolder('kill')
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})
afterAll(async () => {
  const embedded = await startEmbedded({ dataDir, log: quiet })
  await embedded.stop()
  const later = started.slice(1).toSorted((one, other) => one - other)
  process.stdout.write(
    `  started ${started.length} times: the first was ready in ${started[0]} ms, later ones in ${later[later.length >> 1]} ms (median), ${later.at(-1)} ms (slowest)\n`,
  )
})

/** A service on the embedded database of the folder, once it is ready. */
async function start(): Promise<{ service: Spawned; url: string }> {
  const from = performance.now()
  const service = spawnServer({ ...(await ownPort()), DATA_DIR: dataDir, MIGRATE: 'on' })
  running.push(service)
  const url = await service.untilListening()
  started.push(Math.round(performance.now() - from))
  return { service, url }
}

/** What is kept of those who were told that they have an account: each whole, with password and session. */
async function findLost(acknowledged: readonly string[]): Promise<string[]> {
  const embedded = await startEmbedded({ dataDir, log: quiet })
  const sql = postgres({ ...embedded.connection, max: 1, onnotice: () => undefined })
  const rows = await sql<{ email: string }[]>`
    select u.email
    from users u
    join accounts a on a.user_id = u.id and a.password is not null
    where exists (select from sessions s where s.user_id = u.id)
  `
  await sql.end()
  await embedded.stop()
  const kept = new Set(rows.map(({ email }) => email))
  return acknowledged.filter((email) => !kept.has(email))
}

const statusesOf = (load: Load) => new Set(load.outcomes.map(({ status }) => status))
/** Waits until one more was told yes: how soon that is depends on the machine. */
const another = (acknowledged: readonly string[]) => {
  const before = acknowledged.length
  return expect.poll(() => acknowledged.length).toBeGreaterThan(before)
}
const somewhile = () => sleep(20 + Math.random() * 180)

describe('kill -9', () => {
  it(`of the service while people sign up, ${kills} times: it always starts again and has them all`, {
    ...timeFor(kills, 20),
  }, async () => {
    const acknowledged: string[] = []
    for (let round = 0; round < kills; round += 1) {
      const { service, url } = await start()
      const load = startLoad(() => signUpAt(url, acknowledged), 4)
      await another(acknowledged)
      await somewhile()
      expect(await service.kill('SIGKILL')).toBe('SIGKILL')
      await load.stop()
      // 503: a machine that is busy with other work makes fewer hashes than people ask for.
      expect([...statusesOf(load)].filter((status) => ![200, 503, 0].includes(status))).toEqual([])
    }
    const { url } = await start()
    expect(await findLost(acknowledged)).toEqual([])
    const email = acknowledged.at(-1)!
    expect(await tell(`${url}/sign-in/email`, postJson({ email, password: testPassword }))).toMatchObject({
      status: 200,
    })
  })

  it(`of its PostgreSQL while people sign up, ${kills} times: 503 meanwhile, nobody lost or signed out`, {
    ...timeFor(kills, 20),
  }, async () => {
    const { service, url } = await start()
    const acknowledged: string[] = []
    const { ask, wrong } = await signUpReaders(url)
    const signUps = startLoad(() => signUpAt(url, acknowledged), 4)
    const reads = startLoad(ask, 4)
    for (let round = 0; round < kills; round += 1) {
      await another(acknowledged)
      await somewhile()
      const pid = await readPid(join(dataDir, 'postgres'))
      process.kill(pid!, 'SIGKILL')
      await expect.poll(() => readPid(join(dataDir, 'postgres')), restart).not.toBe(pid)
      await expect.poll(async () => (await tell(`${url}/ready`)).status, restart).toBe(200)
    }
    await Promise.all([signUps.stop(), reads.stop()])
    expect(await findLost(acknowledged)).toEqual([])
    expectOutagesOnly(signUps.outcomes)
    expectOutagesOnly(reads.outcomes)
    // Neither null, as if signed out, nor somebody else's.
    expect(wrong).toEqual([])
    expect(await service.kill('SIGTERM')).toBe(0)
    expect(service.output()).not.toContain('"level":60')
  })
})

function expectOutagesOnly(outcomes: readonly Outcome[]): void {
  const refused = outcomes.filter(({ status }) => status !== 200)
  const others = refused
    .map(({ status, setCookies }) => `${status} ${setCookies.join()}`)
    .filter((what) => what !== '503 ')
  expect(others).toEqual([])
}
