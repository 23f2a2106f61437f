import { fileURLToPath } from 'node:url'
import { type ServerType, serve } from '@hono/node-server'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, send } from '../../server/bench/person.ts'
import { type Size, scenarios } from '../../server/bench/scenarios.ts'
import { spreadOf } from '../../server/bench/statistics.ts'
import { settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { createTestService, type TestService } from '../../server/testing/service.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

describe('npm run bench', () => {
  const bench = (args: readonly string[]) =>
    execa(process.execPath, [file('run-typescript.js'), file('../../server/bench/run.ts'), ...args], {
      env: { PATH: '' },
      extendEnv: false,
      reject: false,
    })

  it('says how to install the program that makes the requests, and measures nothing', async () => {
    const { exitCode, stdout, stderr } = await bench([])
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Nothing was measured\.\n/)
    expect(stderr).toContain('wrk, which makes the requests, is not installed. On Debian: apt-get install wrk')
  })

  it.each([
    [['get-sesion'], 'There is no scenario get-sesion.'],
    [['--rounds', '0'], '--rounds takes a whole number from 1 on, not 0.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j and shows how it is called', async (args, reason) => {
    const { exitCode, stderr } = await bench(args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(reason)
    expect(stderr).toContain('Usage: npm run bench -- [scenario...]')
  })

  it('shows how it is called', async () => {
    const { exitCode, stdout } = await bench(['--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Example: npm run bench -- get-session sign-in-8 --rounds 7')
  })
})

describe('what the bench asks for', () => {
  let service: TestService
  let listener: ServerType
  let server: Server
  const size: Size = { crowd: 2, entries: 3, times: 1 }
  beforeAll(async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const settings = { BASE_URL: origin, COOKIE_CACHE: 'on', INVITATION_REQUIRES_VERIFIED_EMAIL: 'off' }
    service = await createTestService(settings)
    listener = serve({ fetch: service.app.fetch, port, hostname: '127.0.0.1' })
    server = { name: 'ours', origin, database: settingsOf(service.database)['DATABASE_URL'] ?? '' }
  })
  afterAll(async () => {
    await new Promise((closed) => listener.close(closed))
    await service.stop()
  })

  it.each(scenarios)('$name is answered as it expects', async ({ prepare, meanwhile, isRight }) => {
    const [request, ...others] = await (await prepare(server, size))()
    expect(others.length).toBeGreaterThan(0)
    const answer = await send(server, request!)
    expect([answer.status, isRight((await answer.json()) as never, size)]).toEqual([200, true])
    for (const one of (await meanwhile?.prepare(server, size))?.slice(0, 1) ?? [])
      expect((await send(server, one)).status).toBe(200)
  })
})

it.each([
  [[3], { median: 3, least: 3, most: 3 }],
  [[3, 1, 2], { median: 2, least: 1, most: 3 }],
  [[4, 1, 2, 10], { median: 3, least: 1, most: 10 }],
])('the spread of %j is %j', (values, spread) => expect(spreadOf(values)).toEqual(spread))
