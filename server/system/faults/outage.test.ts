import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../db/connect.ts'
import { readPid } from '../../embedded/postmaster.ts'
import { type Embedded, startEmbedded } from '../../embedded/start.ts'
import { cloneDatabase, patience, settingsOf } from '../../testing/database.ts'
import { type Outcome, signUpAt, signUpReaders, startLoad, tell } from '../../testing/load.ts'
import { ownPort, type Spawned, spawnServer } from '../../testing/process.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

/** Of a poll for a server that starts again. */
const restart = { timeout: 15_000 * slack }

const quiet = { info: () => undefined, warn: () => undefined }
const running: Spawned[] = []
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})

async function start(settings: Record<string, string>): Promise<{ service: Spawned; url: string }> {
  const service = spawnServer({ ...(await ownPort()), ...settings })
  running.push(service)
  return { service, url: await service.untilListening() }
}

/** Sign-ups, and some people who keep looking at their sessions. */
async function startPeople(url: string) {
  const { ask, wrong } = await signUpReaders(url)
  const reads = startLoad(ask, 8)
  const signUps = startLoad(() => signUpAt(url, []), 4)
  return {
    reads,
    signUps,
    wrong,
    stop: async () => {
      await Promise.all([reads.stop(), signUps.stop()])
    },
  }
}

/** The log lines of what should not have happened. */
const faultsIn = (service: Spawned) =>
  service
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line))

/** Each distinct way in which requests were refused. */
const refusals = (outcomes: readonly Outcome[]) => [
  ...new Set(
    outcomes
      .filter(({ status }) => status !== 200)
      .map(({ status, body, setCookies }) => `${status} ${JSON.stringify(body)} ${setCookies.join()}`),
  ),
]
const unavailable = '503 {"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"} '

/** The statuses of forty reads at once: four for each connection, and no password hash to wait for. */
async function statusesAfter(url: string): Promise<number[]> {
  await expect.poll(async () => (await tell(`${url}/ready`)).status, restart).toBe(200)
  const { ask, wrong } = await signUpReaders(url)
  const outcomes = await Promise.all(Array.from({ length: 40 }, ask))
  expect(wrong).toEqual([])
  return [...new Set(outcomes.map(({ status }) => status))]
}

describe('a server of its own that is restarted at once, under load', () => {
  let dataDir: string
  let embedded: Embedded
  beforeAll(async () => {
    dataDir = temporaryFolder('restart')
    embedded = await startEmbedded({ dataDir, log: quiet })
  })
  afterAll(async () => {
    await embedded.stop()
  })

  it('costs 503 in the gap and nothing else', timeFor(kills, 10), async () => {
    const { host, user, database } = embedded.connection
    const DATABASE_URL = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
    const { service, url } = await start({ DATABASE_URL, DATABASE_TIMEOUT: '10s', MIGRATE: 'on' })
    const people = await startPeople(url)
    for (let round = 0; round < Math.min(3, kills); round += 1) {
      await sleep(300)
      const pid = await readPid(join(dataDir, 'postgres'))
      // What `pg_ctl restart -m immediate` does first; our own hold on the server starts it again.
      process.kill(pid!, 'SIGQUIT')
      await expect.poll(() => readPid(join(dataDir, 'postgres')), restart).not.toBe(pid)
      await expect.poll(async () => (await tell(`${url}/ready`)).status, restart).toBe(200)
      const before = people.reads.outcomes.length
      await expect.poll(() => people.reads.outcomes.slice(before).some(({ status }) => status === 200)).toBe(true)
    }
    await people.stop()
    expect(refusals([...people.reads.outcomes, ...people.signUps.outcomes])).toEqual([unavailable])
    expect(people.wrong).toEqual([])
    const after = await statusesAfter(url)
    expect([after, faultsIn(service)]).toEqual([[200], []])
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})

/** Some several times over: there are ten. */
const backends = 20 * kills

describe(`${backends} backends killed under load`, () => {
  it('cost 503 here and there; the service lives and its pool works', timeFor(kills, 10), async () => {
    const cloned = await cloneDatabase()
    const { service, url } = await start({ ...settingsOf(cloned.database), DATABASE_POOL: '10' })
    const people = await startPeople(url)
    const killer = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
    let killed = 0
    while (killed < backends) {
      const gone = await killer`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        order by random() limit 5
      `
      killed += gone.count
      await sleep(20)
    }
    await people.stop()
    expect(
      refusals([...people.reads.outcomes, ...people.signUps.outcomes]).filter((text) => text !== unavailable),
    ).toEqual([])
    expect(people.wrong).toEqual([])
    const after = await statusesAfter(url)
    expect([after, faultsIn(service)]).toEqual([[200], []])
    const countOpen = async () => {
      const rows = await killer`
        select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      `
      return rows.length
    }
    expect(await countOpen()).toBeGreaterThan(0)
    // A backend that was killed may take a moment to leave.
    await expect.poll(countOpen).toBeLessThanOrEqual(10)
    await killer.end()
    expect(await service.kill('SIGTERM')).toBe(0)
    await cloned.drop()
  })
})
