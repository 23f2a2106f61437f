import { EventEmitter } from 'node:events'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type RunningService, signUp } from '../testing/own-service.ts'
import type { Runner } from '../testing/run-cli.ts'
import { Desk } from './desk.ts'
import type { TuiSeam } from './seam.ts'
import { ada, bob, signedIn, signIn } from './testing/people.ts'
import { seamOn } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const streams = { stdin: new EventEmitter(), stdout: new EventEmitter() } as unknown as TuiSeam

const screens = useScreens()
let elsewhere: RunningService
let opened: Desk[] = []
beforeAll(async () => {
  elsewhere = await screens.own.sibling({})
})
afterEach(() => {
  for (const { seam } of opened) seam.close()
  opened = []
})

function deskOf(machine: Runner): Desk {
  const desk = new Desk(seamOn(machine, streams))
  opened.push(desk)
  return desk
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
  const desk = deskOf(machine)
  await desk.load()
  const current = { origin: screens.own.url, email: ada, isCurrent: true }
  expect(desk.state).toMatchObject({ current, me: { user: { email: ada } }, link: 'online' })
  expect(desk.state.accounts).toHaveLength(2)
})

test('who was chosen acts, also at another server, until it is gone', async () => {
  const machine = await signedIn(screens.own)
  await signUp(thereOn(machine), bob, 'Bob')
  const desk = deskOf(machine)
  await desk.switchTo(`${elsewhere.url}/api/auth`, bob)
  await desk.load()
  expect(desk.state).toMatchObject({ current: { origin: elsewhere.url }, me: { user: { email: bob } } })
  await thereOn(machine)('sign-out')
  await desk.load()
  expect(desk.state).toMatchObject({ current: { origin: screens.own.url }, me: { user: { email: ada } } })
})

test('who signs in again is signed in, also in another terminal, though the old session was seen to be over', async () => {
  const machine = await signedIn(screens.own)
  const desk = deskOf(machine)
  await desk.load()
  await screens.sql`delete from sessions`
  await desk.load()
  expect(desk.state).toMatchObject({ me: null, current: { email: ada } })
  await signIn(machine, ada)
  await desk.load()
  expect(desk.state.me?.user.email).toBe(ada)
  await signIn(machine, ada)
  const before = desk.state.connection
  await desk.switchTo(screens.own.url, ada)
  await desk.load()
  expect(desk.state.connection).not.toBe(before)
})

test('who goes on under another address stays who acts', async () => {
  const machine = await signedIn(screens.own)
  const desk = deskOf(machine)
  await desk.switchTo(screens.own.url, ada)
  await signUp(machine, bob, 'Bob')
  await desk.load()
  expect(desk.state.current).toEqual({ origin: screens.own.url, email: ada, isCurrent: false })
  const { current, connection } = desk.state
  await connection?.api.email.changeEmail({ newEmail: 'ada@example.org' })
  if (current) await desk.rename(current, 'ada@example.org')
  await desk.load()
  expect(desk.state).toMatchObject({
    current: { email: 'ada@example.org' },
    me: { user: { email: 'ada@example.org' } },
  })
})

test('an answer that was overtaken by a newer load is dropped', async () => {
  const desk = deskOf(await signedIn(screens.own))
  const late = screens.own.hold('GET /get-session')
  const first = desk.load()
  await late.answered
  await screens.sql`update users set name = 'Ada King'`
  await desk.load()
  expect(desk.state.me?.user.name).toBe('Ada King')
  late.release()
  await first
  expect(desk.state.me?.user.name).toBe('Ada King')
})

test('the log of requests is bounded, newest first', async () => {
  const desk = deskOf(screens.own.machine())
  const { api } = await desk.connect(screens.own.url)
  for (let count = 0; count < 210; count += 1) await api.service.ok()
  expect(desk.state.requests).toHaveLength(200)
  expect(desk.state.requests[0]?.id).toBe('210')
})
