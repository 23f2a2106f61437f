import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { seriesOf } from '../testing/exposition.ts'
import { type Outcome, postJson, signUpAt, signUpReaders, startLoad, tell } from '../testing/load.ts'
import { freePort } from '../testing/ports.ts'
import { testPassword } from '../testing/service.ts'
import { slack } from '../testing/slack.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { answeredBy, flood, linesOf, useWorkers, workersOf } from '../testing/workers.ts'

// Each test starts three processes, and some wait for new ones.
vi.setConfig({ testTimeout: 100_000 * slack })

const { start, running } = useWorkers()

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A config file with a timer, as a pool of connections would have it, and with a fault on SIGUSR2. */
const keepingOpen = `
  setInterval(() => undefined, 1000)
  process.once('SIGUSR2', () => { throw new Error('a fault') })
  export default {}
`

describe('limits in memory', () => {
  /** On a busy machine no window ends meanwhile. */
  const lasting = { RATE_LIMITS: { calls: { window: '1h' } } }

  it('are those of the whole service: a flood over all workers gets exactly what one process would let through', async () => {
    const { url } = await start({ RATE_LIMIT: 'on' }, lasting)
    const replies = await flood(300, `${url}/nothing`)
    const passed = replies.filter(({ status }) => status !== 429)
    expect(passed).toHaveLength(100)
    expect(new Set(passed.map(answeredBy)).size).toBe(2)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
  })

  it('let one client that keeps to one worker use the whole limit', async () => {
    const { url } = await start({ RATE_LIMIT: 'on' }, lasting)
    const statuses: number[] = []
    for (let count = 0; count < 105; count += 1) statuses.push((await fetch(`${url}/nothing`)).status)
    expect(statuses).toEqual([...Array(100).fill(404), ...Array(5).fill(429)])
  })

  it('count the calls of a session wherever they arrive', async () => {
    const { url } = await start({ RATE_LIMIT: 'on' }, { RATE_LIMITS: { sessionCalls: { max: 20, window: '1h' } } })
    const authorization = await bearerOf(url)
    // Each worker counts the first call of a token by network, since it does not know yet that the session is alive.
    const replies = await flood(60, `${url}/get-session`, { authorization })
    const before = replies.filter(({ status }) => status === 200).length
    const more = await flood(40, `${url}/get-session`, { authorization })
    const passed = before + more.filter(({ status }) => status === 200).length
    expect(more.some(({ status }) => status === 429)).toBe(true)
    expect(passed).toBeGreaterThanOrEqual(20)
    expect(more.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
  })

  it('count acts for the trail once, and a worker that is started again knows them', async () => {
    const file = { RATE_LIMITS: { acts: { max: 10, window: '1h' } } }
    const { url, process } = await start({ RATE_LIMIT: 'on' }, file)
    const authorization = await bearerOf(url)
    const create = (slug: string) =>
      fetch(`${url}/organization/create`, {
        ...postJson({ name: slug, slug }),
        headers: { authorization, 'content-type': 'application/json', connection: 'close' },
      })
    const statuses = new Set<number>()
    let done = 0
    for (let count = 0; count < 30; count += 1) {
      const { status } = await create(`acme-${count}`)
      statuses.add(status)
      if (status === 200) done += 1
    }
    expect(statuses).toEqual(new Set([200, 429]))
    // A message takes a moment to the other worker: at most one act was under way then.
    expect(done).toBeLessThanOrEqual(11)
    const before = workersOf(process)
    for (const pid of before) globalThis.process.kill(pid, 'SIGKILL')
    await expect
      .poll(() => workersOf(process).filter((pid) => !before.includes(pid)).length, { timeout: 60_000 * slack })
      .toBe(2)
    await expect.poll(async () => (await tell(`${url}/ready`)).status, { timeout: 60_000 * slack }).toBe(200)
    expect((await create('acme-late')).status).toBe(429)
  })
})

async function bearerOf(url: string): Promise<string> {
  const { body } = await signUpAt(url, [])
  return `Bearer ${(body as { token: string }).token}`
}

describe('workers', () => {
  it('are started again when they die, and the others go on', async () => {
    const { url, process } = await start()
    const readers = await signUpReaders(url)
    const load = startLoad(readers.ask, 4)
    for (let round = 0; round < 2; round += 1) {
      const before = workersOf(process)
      globalThis.process.kill(before[0]!, 'SIGKILL')
      await expect
        .poll(() => workersOf(process).filter((pid) => !before.includes(pid)).length, { timeout: 60_000 * slack })
        .toBe(1)
    }
    await load.stop()
    expect(readers.wrong).toEqual([])
    // Nothing failed but the dead worker's own connections, of which there may be none.
    const statuses = new Set(load.outcomes.map(({ status }) => status))
    expect(new Set([...statuses, 0])).toEqual(new Set([200, 0]))
    await expect.poll(() => linesOf(process, 'is started again')).toHaveLength(2)
  })

  it('are replaced one after the other on SIGHUP, and no request fails', async () => {
    const { url, process, cwd } = await start()
    const readers = await signUpReaders(url)
    const before = workersOf(process)
    writeFileSync(join(cwd, '.env'), 'SIGN_UP=off\n')
    const load = startLoad(readers.ask, 4)
    const ready = startLoad(() => tell(`${url}/ready`), 1)
    void process.kill('SIGHUP')
    await expect.poll(() => linesOf(process, 'all workers were replaced').length, { timeout: 60_000 * slack }).toBe(1)
    await Promise.all([load.stop(), ready.stop()])
    const statusesOf = (outcomes: readonly Outcome[]) => new Set(outcomes.map(({ status }) => status))
    expect([statusesOf(load.outcomes), statusesOf(ready.outcomes)]).toEqual([new Set([200]), new Set([200])])
    expect(readers.wrong).toEqual([])
    const after = workersOf(process)
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
    expect(after).toHaveLength(2)
    // They have read the settings again.
    expect((await signUpAt(url, [])).status).toBe(400)
  })

  it('end what is in flight on SIGTERM, also where each of them gets it, and the service exits with 0', async () => {
    const { url, process } = await start()
    await signUpAt(url, [])
    const acknowledged: string[] = []
    const signUps = Promise.all(Array.from({ length: 8 }, () => signUpAt(url, acknowledged)))
    await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(0)
    for (const pid of workersOf(process)) globalThis.process.kill(pid, 'SIGTERM')
    void process.kill('SIGTERM')
    expect((await signUps).map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await process.exited).toBe(0)
    expect((await tell(`${url}/ok`)).status).toBe(0)
  })

  it('have no secret in their environment, and end when the process that directs them is killed', async () => {
    const { url, process } = await start()
    const pids = workersOf(process)
    const command = ['eww', '-o', 'command=', ...pids.map(String)]
    const lines = execFileSync('ps', command, { encoding: 'utf8' }).trim().split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).toMatch(/\bPATH=/)
      expect(line).not.toMatch(/\b(SECRET|DATABASE_URL)=/)
    }
    await process.kill('SIGKILL')
    await expect.poll(() => pids.filter(isAlive), { timeout: 60_000 * slack }).toEqual([])
    expect((await tell(`${url}/ok`)).status).toBe(0)
  })

  it('end whatever the config file keeps open: after a fault, and without the one that directs them', async () => {
    const { process } = await start({}, keepingOpen)
    const [first, ...others] = workersOf(process)
    globalThis.process.kill(first!, 'SIGUSR2')
    await expect.poll(() => linesOf(process, 'a worker died and is started again')).toHaveLength(1)
    expect(linesOf(process, '"exit":1')).toHaveLength(1)
    await expect.poll(() => workersOf(process)).toHaveLength(2)
    await expect.poll(() => linesOf(process, '"msg":"stopped"')).toHaveLength(1)
    await process.kill('SIGKILL')
    await expect.poll(() => others.filter(isAlive), { timeout: 15_000 * slack }).toEqual([])
  })

  it('say why they cannot start, and nothing is left running', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => taken.once('listening', done))
    const { port } = taken.address() as { port: number }
    await expect(start({ PORT: String(port) })).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
    expect(await running()!.exited).toBe(1)
    taken.close()
  })

  it('refuse the cached copy of a session that another of them has ended', async () => {
    const { url, port } = await start({ COOKIE_CACHE: 'on', COOKIE_CACHE_MAX_AGE: '300' })
    const { setCookies } = await signUpAt(url, [])
    const cookie = setCookies.map((line) => line.split(';')[0]).join('; ')
    const ask = () => flood(10, `${url}/get-session`, { cookie })
    expect(new Set((await ask()).map(answeredBy)).size).toBe(2)
    const origin = `http://localhost:${port}`
    const left = await tell(`${url}/sign-out`, { method: 'POST', headers: { cookie, origin } })
    expect(left).toMatchObject({ status: 200, body: { success: true } })
    await expect
      .poll(async () =>
        (await Promise.all((await ask()).map((reply) => reply.text()))).every((text) => text === 'null'),
      )
      .toBe(true)
  })
})

const answeredOk = 'http_requests_total{route="/ok",status="200"}'

/** Waits for the whole answer, after which the connection stays open. */
const answerOver = (agent: Agent, url: string) =>
  new Promise<void>((resolve, reject) => {
    get(url, { agent }, (reply) => reply.resume().once('end', resolve)).once('error', reject)
  })

it('metrics are those of all workers, and do not fall when one ends, or is replaced and still has connections', async () => {
  const port = await freePort()
  const { url, process } = await start({ METRICS: 'on', METRICS_PORT: String(port) })
  const scrape = async () => seriesOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  const answered = async () => (await scrape())[answeredOk]
  await flood(20, `${url}/ok`)
  expect(await answered()).toBe(20)
  expect((await scrape())['postern_info{version="0.1.0"}']).toBe(1)
  expect((await scrape()).postern_database_connections_max).toBe(5)
  const before = workersOf(process)
  globalThis.process.kill(before[0]!, 'SIGKILL')
  await expect
    .poll(() => workersOf(process).filter((pid) => !before.includes(pid)).length, { timeout: 60_000 * slack })
    .toBe(1)
  expect(await answered()).toBe(20)
  expect((await scrape()).postern_worker_deaths_total).toBe(1)
  await expect.poll(() => linesOf(process, 'is started again')).toHaveLength(1)
  const idle = new Agent({ keepAlive: true })
  await Promise.all(Array.from({ length: 6 }, () => answerOver(idle, `${url}/ok`)))
  await expect.poll(answered).toBe(26)
  void process.kill('SIGHUP')
  const seen = new Set<number | undefined>()
  while (linesOf(process, 'all workers were replaced').length === 0) {
    seen.add(await answered())
    await sleep(20)
  }
  idle.destroy()
  expect([...seen]).toEqual([26])
})

it('work with the embedded database, which they make together', async () => {
  const dataDir = temporaryFolder('workers-data')
  const { url, process } = await start({ DATABASE_URL: '', DATA_DIR: dataDir, MIGRATE: 'on' })
  const acknowledged: string[] = []
  await Promise.all(Array.from({ length: 4 }, () => signUpAt(url, acknowledged)))
  const replies = await Promise.all(
    acknowledged.map((email) => tell(`${url}/sign-in/email`, postJson({ email, password: testPassword }))),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await process.kill('SIGTERM')
  expect(linesOf(process, '"level":50')).toEqual([])
})
