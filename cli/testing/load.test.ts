import { fileURLToPath } from 'node:url'
import { type ServerType, serve } from '@hono/node-server'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connections } from '../../server/bench/load/connections.ts'
import { Crowd, type Person } from '../../server/bench/load/crowd.ts'
import { findLost } from '../../server/bench/load/kept.ts'
import { Tally } from '../../server/bench/load/tally.ts'
import { settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { createTestService, type TestService } from '../../server/testing/service.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

describe('npm run test:load', () => {
  const load = (args: readonly string[]) =>
    execa(process.execPath, [file('run-typescript.js'), file('../../server/bench/load/run.ts'), ...args], {
      reject: false,
    })

  it.each([
    [['overlod'], 'There is no load overlod.'],
    [['mixed', '--minutes', '0'], '--minutes takes a whole number from 1 on, not 0.'],
  ])('refuses %j and shows how it is called', async (args, reason) => {
    const { exitCode, stderr } = await load(args)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)])
    expect(stderr).toContain('Usage: npm run test:load')
  })

  it('shows how it is called', async () => {
    const { exitCode, stdout } = await load(['--help'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Example: npm run test:load -- overload')])
  })
})

describe('what the load asks for', () => {
  let service: TestService
  let listener: ServerType
  let connections: Connections
  let tally: Tally
  let crowd: Crowd
  let people: readonly Person[]
  let database: string
  beforeAll(async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    service = await createTestService({ BASE_URL: origin, RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' })
    listener = serve({ fetch: service.app.fetch, port, hostname: '127.0.0.1' })
    database = settingsOf(service.database)['DATABASE_URL'] ?? ''
    connections = new Connections(origin, 8)
    tally = new Tally()
    crowd = new Crowd(connections, tally)
    people = await crowd.people(3)
  })
  afterAll(async () => {
    connections.close()
    await new Promise((closed) => listener.close(closed))
    await service.stop()
  })

  it('is answered, to whom asked, and kept once', async () => {
    const [ann, bob, eve] = people as [Person, Person, Person]
    await crowd.read(ann)
    await crowd.signIn(bob)
    await crowd.read(bob)
    await crowd.createOrganization(ann)
    await crowd.list(ann, 'organization/list')
    await crowd.list(ann, 'list-activity')
    await crowd.signInDevice(eve)
    await crowd.probe()
    expect(tally.kinds.map((kind) => [kind, tally.wholeOf(kind).statuses])).toEqual([
      ['get-session', { 200: 2 }],
      ['sign-in', { 200: 1 }],
      ['organization/create', { 200: 1 }],
      ['organization/list', { 200: 1 }],
      ['list-activity', { 200: 1 }],
      ['device', { 200: 4 }],
      ['get-session of a device', { 200: 1 }],
      ['ok', { 200: 1 }],
    ])
    expect([tally.wrong, tally.unexpected, await findLost(database, crowd, people)]).toEqual([[], [], []])
    expect([bob.signIns.done, eve.signIns.done]).toEqual([1, 1])
  })

  it('is told as wrong or lost when it is', async () => {
    const [ann, bob] = people as [Person, Person, Person]
    await crowd.read({ ...ann, email: bob.email })
    bob.signIns.done += 1
    crowd.owners.set('never-made', ann.email)
    expect(tally.wrong).toEqual([expect.stringContaining(`get-session of ${bob.email}`)])
    expect(await findLost(database, crowd, people)).toEqual([
      `${bob.email} was signed in 2 times (0 unknown), the trail has 1`,
      `organization never-made of ${ann.email}: undefined`,
    ])
    const refusal = { status: 503, head: 'HTTP/1.1 503 Service Unavailable', body: '' }
    tally.note('sign-in', 3, refusal)
    tally.note('sign-in', 4, { ...refusal, head: `${refusal.head}\r\nRetry-After: 2` })
    expect(tally.wholeOf('sign-in')).toMatchObject({ withoutRetryAfter: 1, refused: { count: 2, most: 4 } })
  })
})
