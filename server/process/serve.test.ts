import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingsOf } from '../testing/database.ts'
import { freePort } from '../testing/ports.ts'
import { patient, type Spawned, serving, servingUntilTold, spawnServer } from '../testing/process.ts'
import { testSecret } from '../testing/settings.ts'
import { slack } from '../testing/slack.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { useDatabase } from '../testing/use-service.ts'
import { open, rawRequest, readReply } from '../testing/wire.ts'

const cloned = useDatabase()

let service: Spawned
let url: string
const start = async (script?: string) => {
  service = spawnServer(settingsOf(cloned.database), script)
  url = await service.untilListening()
}
afterEach(() => service.kill())

/** A sign-up of which the service knows, but not yet the body: in flight until `end` sends it. */
async function beginSignUp() {
  const body = JSON.stringify({ email: `${randomUUID()}@example.com`, name: 'Ann', password: 'correct horse battery' })
  const socket = await open(Number(new URL(url).port))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), Expect: '100-continue' }
  socket.write(rawRequest('POST /api/auth/sign-up/email', { ...headers, Connection: 'keep-alive' }))
  await once(socket, 'data')
  const reply = readReply(socket)
  return { end: () => socket.write(body), status: reply.then(({ status }) => status) }
}

const statusOf = async (path: string) => {
  const reply = await fetch(`${url}${path}`).catch(() => null)
  await reply?.text()
  return reply ? [reply.status, reply.headers.get('connection')] : 'refused'
}

/** The statuses of two sign-ups, whose hashes have to wait for nobody, that were in flight while `act` ran. */
async function inFlight(act: () => Promise<void>): Promise<number[]> {
  const signUps = await Promise.all([beginSignUp(), beginSignUp()])
  await act()
  for (const { end } of signUps) end()
  return Promise.all(signUps.map(({ status }) => status))
}
const allAnswered = [200, 200]

describe('SIGTERM', () => {
  beforeEach(() => start(servingUntilTold))

  it('first says not ready, then takes nobody new, ends what is in flight, and exits 0', async () => {
    const replies = await inFlight(async () => {
      void service.kill('SIGTERM')
      await expect.poll(() => statusOf('/ready')).toEqual([503, 'close'])
      expect(await statusOf('/ok')).toEqual([200, 'close'])
      expect(await statusOf('/get-session')).toEqual([200, 'close'])
      void service.kill('SIGUSR2')
      await expect.poll(() => statusOf('/ok')).toBe('refused')
    })
    expect(replies).toEqual(allAnswered)
    expect(await service.exited).toBe(0)
    expect(await statusOf('/ok')).toBe('refused')
    expect(service.output()).toContain('"msg":"stopped"')
  })

  it('twice ends at once, whatever is in flight', async () => {
    const replies = await inFlight(async () => {
      void service.kill('SIGTERM')
      await expect.poll(() => statusOf('/ready')).toEqual([503, 'close'])
      expect(await service.kill('SIGTERM')).toBe('SIGTERM')
    })
    expect(replies).toEqual([0, 0])
  })
})

describe('SIGHUP', () => {
  it('without workers changes nothing, and says so', async () => {
    await start()
    void service.kill('SIGHUP')
    await expect.poll(service.output).toContain('SIGHUP changes nothing without workers (WORKERS)')
    expect(await statusOf('/ok')).toEqual([200, 'keep-alive'])
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})

/** Serves, and gets SIGTERM within the very call that writes the line. */
const endedByItsFirstLine = `
  const { default: fs } = await import('node:fs')
  const { writeSync } = fs
  fs.writeSync = (...given) => {
    const written = writeSync(...given)
    if (String(given[1]).includes('"msg":"listening"')) process.kill(process.pid, 'SIGTERM')
    return written
  }
  ${serving}
`

it.each([['1'], ['2']])('SIGTERM as soon as it says that %s processes listen ends it as any other', async (workers) => {
  service = spawnServer({ ...settingsOf(cloned.database), WORKERS: workers }, endedByItsFirstLine)
  expect(await service.exited).toBe(0)
  expect(service.output()).toContain('"msg":"stopped"')
})

describe('a signal during the start', () => {
  it.each([
    ['SIGTERM', '1', 143],
    ['SIGINT', '1', 130],
    ['SIGTERM', '2', 143],
  ] as const)(
    '(%s, processes: %s) ends it with %i, and the PostgreSQL that it started',
    async (signal, workers, code) => {
      const dataDir = temporaryFolder('early-signal')
      const isRunning = () => existsSync(join(dataDir, 'postgres', 'postmaster.pid'))
      const settings = { DATABASE_URL: '', DATA_DIR: dataDir, MIGRATE: 'on', WORKERS: workers }
      service = spawnServer(settings)
      await expect.poll(isRunning, { timeout: 15_000 * slack, interval: 1 }).toBe(true)
      expect(await service.kill(signal)).toBe(code)
      expect(isRunning()).toBe(false)
      expect(service.output()).not.toMatch(/"msg":"listening"|"level":[56]0/)
    },
  )

  it.each(['1', '2'])('ends %s processes that wait for a database', async (workers) => {
    const nobody = `postgres://a@127.0.0.1:${await freePort()}/b`
    service = spawnServer({ DATABASE_URL: nobody, WORKERS: workers })
    await expect.poll(() => service.output()).toContain('the database cannot be reached yet')
    expect(await service.kill('SIGTERM')).toBe(143)
  })
})

describe('SIGINT', () => {
  beforeEach(() => start())

  it('needs no notice: it ends what is in flight and exits 0', async () => {
    const replies = await inFlight(async () => {
      void service.kill('SIGINT')
      await expect.poll(() => statusOf('/ok')).toBe('refused')
    })
    expect([replies, await service.exited]).toEqual([allAnswered, 0])
  })
})

it('leaves the end of the process to the program that called it', async () => {
  await start(`
    setInterval(() => undefined, 1000)
    serve().then((code) => setTimeout(() => console.log('alive after ' + code), 2000))
  `)
  void service.kill('SIGINT')
  await expect.poll(() => service.output()).toContain('alive after 0')
})

describe('a fault that nobody caught', () => {
  it.each([
    ['thrown in a timer', "setTimeout(() => { throw new Error('a fault in a timer') })"],
    ['a rejected promise', "Promise.reject(new Error('a fault in a timer'))"],
    ['thrown that is no error', "setTimeout(() => { throw 'a fault in a timer' })"],
  ])('(%s) is logged, ends what is in flight and then the process, with a failure', async (_kind, fault) => {
    await start(`${serving}; process.once('SIGUSR2', () => { ${fault} })`)
    const replies = await inFlight(async () => {
      void service.kill('SIGUSR2')
      await expect.poll(() => statusOf('/ok')).toBe('refused')
    })
    expect([replies, await service.exited]).toEqual([allAnswered, 1])
    const fatal = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":60'))
    expect(fatal).toHaveLength(1)
    expect(JSON.parse(fatal[0]!)).toMatchObject({
      msg: 'unexpected error',
      err: { message: expect.stringContaining('a fault in a timer') },
    })
  })
})

it('a fault while the service ends already is logged, and ends nothing that is in flight', async () => {
  await start(`${servingUntilTold}; process.once('SIGCONT', () => { throw new Error('a late fault') })`)
  const replies = await inFlight(async () => {
    void service.kill('SIGTERM')
    await expect.poll(() => statusOf('/ready')).toEqual([503, 'close'])
    void service.kill('SIGCONT')
    await expect.poll(() => service.output()).toContain('a late fault')
    void service.kill('SIGUSR2')
  })
  expect([replies, await service.exited]).toEqual([allAnswered, 0])
})

describe('the environment of the process', () => {
  it('holds no secret once it serves, nor does that of its children', async () => {
    await start(`
      ${serving}
      process.once('SIGUSR2', async () => {
        const { execFileSync } = await import('node:child_process')
        console.log('own', JSON.stringify(process.env), 'child', execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)']).toString(), 'end')
      })
    `)
    void service.kill('SIGUSR2')
    await expect.poll(() => service.output()).toContain(' end')
    const said = service.output().slice(service.output().indexOf('own'))
    expect(said).toContain('"LOG_FORMAT":"json"')
    expect(said).not.toMatch(/"(SECRET|SECRETS|DATABASE_URL)":/)
    expect(service.output()).not.toContain(testSecret)
  })
})

it('leaves an address of a provider that does not answer at once a second', async () => {
  await start(`
    ${serving}
    const { getDefaultAutoSelectFamilyAttemptTimeout: patience } = await import('node:net')
    process.once('SIGUSR2', () => console.log('for ' + patience() + ' ms'))
  `)
  void service.kill('SIGUSR2')
  await expect.poll(() => service.output()).toContain('for 1000 ms')
})

it.runIf(process.platform === 'linux')(
  'lets the threads that hash passwords give way to the one that answers requests',
  async () => {
    await start(`
    ${serving}
    const { readdirSync } = await import('node:fs')
    const { getPriority } = await import('node:os')
    process.once('SIGUSR2', () => {
      const threads = readdirSync('/proc/self/task').map(Number)
      const own = getPriority(process.pid)
      console.log('nicer by 5: ' + threads.filter((id) => getPriority(id) === own + 5).length)
    })
  `)
    void service.kill('SIGUSR2')
    await expect.poll(() => service.output()).toContain('nicer by 5: 4')
  },
)

it('lets V8 optimize what runs often once requests are taken', async () => {
  const servingUnoptimized = `serve(${JSON.stringify({ ...patient, isOptimizerOff: true })})`
  const optimized = /completed .*runOften.*TURBOFAN/
  await start(`
    const { setFlagsFromString } = await import('node:v8')
    for (const flag of ['--no-opt', '--trace-opt']) setFlagsFromString(flag)
    const runOften = () => { for (let n = 0, sum = 0; n < 1e7; n += 1) sum += n % 7 }
    const runLong = () => { for (let n = 0; n < 20; n += 1) runOften() }
    runLong()
    ${servingUnoptimized}
    process.on('SIGUSR2', () => setInterval(runOften, 1))
  `)
  expect(service.output()).not.toMatch(optimized)
  void service.kill('SIGUSR2')
  await expect.poll(() => service.output()).toMatch(optimized)
})
