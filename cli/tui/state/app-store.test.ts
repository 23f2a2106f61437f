import { EventEmitter } from 'node:events'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type RunningService, signUp } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import type { TuiPorts } from '../ports.ts'
import { ada, bob, signedIn, signIn } from '../testing/people.ts'
import { portsOn } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'
import { AppStore } from './app-store.ts'

const streams = { stdin: new EventEmitter(), stdout: new EventEmitter() } as unknown as TuiPorts

const screens = useScreens()
let elsewhere: RunningService
let opened: AppStore[] = []
beforeAll(async () => {
  elsewhere = await screens.own.sibling({})
})
afterEach(() => {
  for (const { ports } of opened) ports.close()
  opened = []
})

function storeOn(machine: Runner): AppStore {
  const store = new AppStore(portsOn(machine, streams))
  opened.push(store)
  return store
}

/** The same machine, as it speaks with the service elsewhere. */
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
  await store.switchTo(`${elsewhere.url}/api/auth`, bob)
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
  await store.switchTo(screens.own.url, ada)
  await store.load()
  expect(store.state.connection).not.toBe(before)
})

test('who goes on under another address stays who acts', async () => {
  const machine = await signedIn(screens.own)
  const store = storeOn(machine)
  await store.switchTo(screens.own.url, ada)
  await signUp(machine, bob, 'Bob')
  await store.load()
  expect(store.state.current).toEqual({ origin: screens.own.url, email: ada, isCurrent: false })
  const { current, connection } = store.state
  await connection?.api.email.changeEmail({ newEmail: 'ada@example.org' })
  if (current) await store.rename(current, 'ada@example.org')
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

test('the log of requests is bounded, newest first', async () => {
  const store = storeOn(screens.own.machine())
  const { api } = await store.connect(screens.own.url)
  for (let count = 0; count < 210; count += 1) await api.service.ok()
  expect(store.state.requests).toHaveLength(200)
  expect(store.state.requests[0]?.id).toBe('210')
})
