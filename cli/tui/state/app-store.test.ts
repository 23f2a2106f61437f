import { EventEmitter } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { type RunningService, signUp } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import type { TuiConnection, TuiPorts } from '../ports.ts'
import { ada, bob, signedIn, signIn, verify } from '../testing/people.ts'
import { portsOn } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'
import { sessionEndOf, staleIn } from './app-state.ts'
import { AppStore } from './app-store.ts'

const streams = { stdin: new EventEmitter(), stdout: new EventEmitter() } as unknown as TuiPorts

const named = 'carol@example.com'
const screens = useScreens({ ADMIN_EMAILS: named })
let elsewhere: RunningService
let opened: AppStore[] = []
beforeAll(async () => {
  elsewhere = await screens.own.sibling({})
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const { ports } of opened) ports.close()
  opened = []
})

function storeOn(machine: Runner): AppStore {
  const store = new AppStore(portsOn(machine, streams))
  opened.push(store)
  return store
}

/** The same machine with another address of the service. */
const thereOn = (machine: Runner): Runner =>
  Object.assign(
    ((argv, options) => machine(argv, { ...options, env: { POSTERN_URL: elsewhere.url } })) as Runner,
    machine,
  )

test('the current account of the server it was started for is the one that acts', async () => {
  const machine = await signedIn(screens.own)
  await signUp(thereOn(machine), bob, 'Bob')
  const store = storeOn(machine)
  await store.load()
  const current = { origin: screens.own.url, email: ada, isCurrent: true }
  expect(store.state).toMatchObject({ current, me: { user: { email: ada } }, link: 'online' })
  expect(store.state.accounts).toHaveLength(2)
})

test('who was chosen acts, also at another server, until it is gone', async () => {
  const machine = await signedIn(screens.own)
  await signUp(thereOn(machine), bob, 'Bob')
  const store = storeOn(machine)
  await store.accounts.choose({ origin: elsewhere.url, email: bob })
  await store.load()
  expect(store.state).toMatchObject({ current: { origin: elsewhere.url }, me: { user: { email: bob } } })
  await thereOn(machine)('sign-out')
  await store.load()
  expect(store.state).toMatchObject({ current: { origin: screens.own.url }, me: { user: { email: ada } } })
})

test('who signs in again is signed in, also in another terminal, though the old session was seen to be over', async () => {
  const machine = await signedIn(screens.own)
  const store = storeOn(machine)
  await store.load()
  await screens.sql`delete from sessions`
  await store.load()
  expect(store.state).toMatchObject({ me: null, current: { email: ada } })
  await signIn(machine, ada)
  await store.load()
  expect(store.state.me?.user.email).toBe(ada)
  await signIn(machine, ada)
  const before = store.state.connection
  await store.accounts.choose({ origin: screens.own.url, email: ada })
  await store.load()
  expect(store.state.connection).not.toBe(before)
})

test('who goes on under another address stays who acts', async () => {
  const machine = await signedIn(screens.own)
  const store = storeOn(machine)
  await store.accounts.choose({ origin: screens.own.url, email: ada })
  await signUp(machine, bob, 'Bob')
  await store.load()
  expect(store.state.current).toMatchObject({ origin: screens.own.url, email: ada, isCurrent: false })
  const { current, connection } = store.state
  await connection?.api.email.changeEmail({ newEmail: 'ada@example.org' })
  if (current) await store.accounts.rename(current, 'ada@example.org')
  await store.load()
  expect(store.state).toMatchObject({
    current: { email: 'ada@example.org' },
    me: { user: { email: 'ada@example.org' } },
  })
})

test('an answer that was overtaken by a newer load is dropped', async () => {
  const store = storeOn(await signedIn(screens.own))
  const late = screens.own.hold('GET /get-session')
  const first = store.load()
  await late.answered
  await screens.sql`update users set name = 'Ada King'`
  await store.load()
  expect(store.state.me?.user.name).toBe('Ada King')
  late.release()
  await first
  expect(store.state.me?.user.name).toBe('Ada King')
})

test('files that cannot be read are told as outdated, and end nothing', async () => {
  const store = storeOn(await signedIn(screens.own))
  await store.load()
  vi.spyOn(store.ports.accounts, 'list').mockRejectedValue(new Error('The file is damaged'))
  await store.look()
  expect(staleIn(store.state)?.shownError.sentence).toContain('The file is damaged')
})

test('a jar that cannot be read is told as damaged, and not as signed out elsewhere', async () => {
  const machine = await signedIn(screens.own)
  const store = storeOn(machine)
  await store.load()
  const folder = join(machine.env['POSTERN_STATE_DIR'] ?? '', 'jars')
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{')
  await store.look()
  expect(staleIn(store.state)?.shownError.sentence).toContain('is damaged')
  expect(store.state).toMatchObject({ me: { user: { email: expect.any(String) } }, ended: undefined })
})

test('the log of requests is bounded, newest first', async () => {
  const store = storeOn(screens.own.machine())
  const { api } = await store.connect(screens.own.url)
  for (let count = 0; count < 210; count += 1)
    await (count % 2 ? api.service.ok() : api.organization.list().catch(() => {}))
  expect(store.state.requests).toHaveLength(200)
  expect(store.state.requests[0]?.id).toBe('210')
})

test('what is asked again and again in a row is one entry of the log', async () => {
  const store = storeOn(screens.own.machine())
  const { api } = await store.connect(screens.own.url)
  await api.service.ok()
  await api.organization.list().catch(() => {})
  for (let count = 0; count < 50; count += 1) await api.service.ok()
  expect(store.state.requests.map(({ path, times }) => [path, times])).toEqual([
    ['/ok', 50],
    ['/organization/list', 1],
    ['/ok', 1],
  ])
})

const mayAdminister = 'POST /admin/has-permission'
const unavailable = { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' }

test.each([
  ['it failed', () => Response.json({}, { status: 500 })],
  ['it is overloaded', () => Response.json(unavailable, { status: 503 })],
  ['there were too many requests', () => Response.json({}, { status: 429, headers: { 'retry-after': '0' } })],
  ['it is another one for a moment', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
])('a service that says that %s has not said that nobody may administer', async (_, answer) => {
  const machine = await adminOf(screens.own)
  await machine('config set retries 0')
  const store = storeOn(machine)
  screens.own.replace(mayAdminister, answer())
  await store.load()
  expect(store.state).toMatchObject({ isAdmin: false, shownError: undefined })
  await store.poll()
  expect(store.state.isAdmin).toBe(true)
})

test('an outage in the middle of a start is made good for when it is over', async () => {
  const machine = await adminOf(screens.own)
  await machine('config set retries 0')
  const store = storeOn(machine)
  const late = screens.own.hold('GET /get-session')
  const loading = store.load()
  await late.answered
  const leaving = screens.own.goAway()
  late.release()
  await Promise.all([loading, leaving])
  expect(store.state).toMatchObject({ link: 'offline', isAdmin: false })
  await screens.own.comeBack()
  await store.poll()
  expect(store.state).toMatchObject({ link: 'online', isAdmin: true })
})

test.each([
  ['no', () => Response.json({ success: false })],
  ['that it has no such call', () => new Response(null, { status: 404 })],
  ['that it may not be asked', () => Response.json({ code: 'KEY_FORBIDDEN' }, { status: 403 })],
])('a service that says %s is asked again once the roles are others', async (_, answer) => {
  const machine = await adminOf(screens.own)
  const store = storeOn(machine)
  screens.own.replace(mayAdminister, answer())
  screens.own.asked.length = 0
  await store.load()
  await store.poll()
  expect(store.state.isAdmin).toBe(false)
  expect(screens.own.asked.filter((call) => call === mayAdminister)).toHaveLength(1)
  await screens.sql`update users set roles = '{admin,user}'`
  await store.poll()
  expect(store.state.isAdmin).toBe(true)
})

test('somebody whom ADMIN_EMAILS names may administer as soon as the address is verified', async () => {
  const store = storeOn(await signUp(screens.own.machine(), named, 'Carol'))
  await store.load()
  expect(store.state.isAdmin).toBe(false)
  await verify(screens.own, named)
  await store.poll()
  expect(store.state.isAdmin).toBe(true)
})

describe('polling', () => {
  async function polled() {
    const machine = await signedIn(screens.own)
    const store = storeOn(machine)
    await store.load()
    return { machine, store }
  }

  test('asks for what can change elsewhere, leaves no trace in the log, and paints nothing anew that is as it was', async () => {
    const { store } = await polled()
    const { requests, me, organizations, accounts } = store.state
    screens.own.asked.length = 0
    for (let count = 0; count < 5; count += 1) await store.poll()
    expect(screens.own.asked.slice(0, 2)).toEqual(['GET /get-session', 'GET /organization/list'])
    expect(screens.own.asked).toHaveLength(10)
    expect(store.state.requests).toBe(requests)
    expect([store.state.me, store.state.organizations, store.state.accounts]).toEqual([me, organizations, accounts])
    expect(store.state.me).toBe(me)
    expect(store.state.organizations).toBe(organizations)
    expect(store.state.accounts).toBe(accounts)
  })

  test('what is on the screen is read again when something changed elsewhere, else at most every 30 seconds', async () => {
    const { store } = await polled()
    const begun = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(begun)
    await store.poll()
    const { beat } = store.state
    for (let count = 0; count < 5; count += 1) await store.poll()
    expect(store.state.beat).toBe(beat)
    await screens.sql`update users set name = 'Ada King'`
    await store.poll()
    expect(store.state).toMatchObject({ beat: beat + 1, me: { user: { name: 'Ada King' } } })
    for (const [passed, beats] of [
      [29_999, 1],
      [30_000, 2],
    ] as const) {
      clock.mockReturnValue(begun + passed)
      await store.poll()
      expect(store.state.beat).toBe(beat + beats)
    }
  })

  test('the link goes and comes back by itself, and what was known stays meanwhile', async () => {
    const { store } = await polled()
    const { organizations, asOf } = store.state
    await screens.own.goAway()
    await store.poll()
    expect(store.state).toMatchObject({ link: 'offline', me: { user: { email: ada } }, organizations, asOf })
    expect(staleIn(store.state)).toMatchObject({ asOf })
    await screens.own.comeBack()
    const { beat } = store.state
    await store.poll()
    expect(store.state).toMatchObject({ link: 'online', shownError: undefined, beat: beat + 1 })
    expect(staleIn(store.state)).toBeUndefined()
  })

  test('takes no new session for the one before, though it began while somebody signed in', async () => {
    const machine = await signedIn(screens.own)
    const store = storeOn(machine)
    await store.load()
    const { connection } = store.state
    const { accounts } = store.ports
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    Object.assign(store.ports, { accounts: { ...accounts, list: () => held.then(accounts.list) } })
    const polling = store.poll()
    Object.assign(store.ports, { accounts })
    await store.activity.during(async () => {
      await signIn(machine, ada)
      await store.accounts.choose({ origin: screens.own.url, email: ada })
    })
    goOn()
    await polling
    await store.load()
    expect(store.state.connection).not.toBe(connection)
    expect(store.state).toMatchObject({ me: { user: { email: ada } }, ended: undefined })
  })

  test('waits while somebody waits, and an answer that an act overtook is dropped', async () => {
    const { store } = await polled()
    const late = screens.own.hold('GET /get-session')
    const polling = store.poll()
    await late.answered
    await store.activity.during(async () => {
      await screens.sql`delete from sessions`
      screens.own.asked.length = 0
      await store.poll()
      expect(screens.own.asked).toEqual([])
    })
    late.release()
    await polling
    expect(store.state.me?.user.email).toBe(ada)
  })

  describe('tells how a session ended', () => {
    test('revoked by others', async () => {
      const { store } = await polled()
      await screens.sql`delete from sessions`
      await store.poll()
      const told = { me: null, ended: { how: 'elsewhere', account: { email: ada } } }
      expect(store.state).toMatchObject(told)
      await store.poll()
      expect(store.state).toMatchObject(told)
    })

    test('expired, as far as its own time says', async () => {
      const { store } = await polled()
      const { me, current: account } = store.state
      if (!me || !account) throw new Error('Nobody is signed in')
      const lost = { me, account, server: '', isKept: true }
      const end = me.session.expiresAt.getTime()
      expect(sessionEndOf(lost, end)).toMatchObject({ how: 'expired' })
      expect(sessionEndOf(lost, end - 1)).toMatchObject({ how: 'elsewhere' })
    })

    test('signed out in another terminal', async () => {
      const { machine, store } = await polled()
      await machine('sign-out')
      await store.poll()
      expect(store.state).toMatchObject({ me: null, ended: { how: 'another-terminal' } })
    })

    test('signed in again in another terminal, it goes on', async () => {
      const { machine, store } = await polled()
      await screens.sql`delete from sessions`
      await store.poll()
      await signIn(machine, ada)
      await store.poll()
      expect(store.state).toMatchObject({ me: { user: { email: ada } }, ended: undefined })
    })

    test.each([
      ['signing out', (api: TuiConnection['api']) => api.account.signOut({})],
      ['revoking all sessions', (api: TuiConnection['api']) => api.session.revokeSessions({})],
    ])('not after %s here', async (_, act) => {
      const { store } = await polled()
      if (store.state.connection) await act(store.state.connection.api)
      await store.poll()
      expect(store.state).toMatchObject({ me: null, ended: undefined })
    })
  })
})
