import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { Desk } from './desk.ts'
import type { StoredAccount, TuiSeam } from './seam.ts'
import { FakeService, fakeSeam } from './testing/fake-service.ts'

const streams = new EventEmitter() as unknown as Pick<TuiSeam, 'stdin' | 'stdout'>

function deskOf(service: FakeService, change: Partial<TuiSeam> = {}): Desk {
  return new Desk({ ...fakeSeam(service, streams as TuiSeam), ...change })
}

test('the current account of the server it was started for is the one that acts', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  const elsewhere: StoredAccount = { origin: 'https://auth.example.com', email: 'bob@example.com', isCurrent: true }
  const here: StoredAccount = { origin: service.origin, email: 'ada@example.com', isCurrent: true }
  const desk = deskOf(service, { accounts: async () => [elsewhere, here] })
  await desk.load()
  expect(desk.state).toMatchObject({ current: here, me: { user: { email: 'ada@example.com' } }, link: 'online' })
})

test('who was chosen acts, also at another server, until it is gone', async () => {
  const service = new FakeService()
  const [ada, bob] = [
    { origin: service.origin, email: 'ada@example.com', isCurrent: true },
    { origin: 'https://auth.example.com', email: 'bob@example.com', isCurrent: true },
  ]
  let accounts: readonly StoredAccount[] = [ada, bob]
  const desk = deskOf(service, { accounts: async () => accounts })
  await desk.switchTo('https://auth.example.com/api/auth', 'bob@example.com')
  await desk.load()
  expect(desk.state.current).toEqual(bob)
  accounts = [ada]
  await desk.load()
  expect(desk.state.current).toEqual(ada)
})

test('who signs in again is signed in, also in another terminal, though the old session was seen to be over', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  // A jar as it was when it was opened.
  const clientFor = async (_: string, email: string) => service.connection({ token: service.jars.get(email) ?? '' })
  const desk = deskOf(service, { clientFor })
  await desk.load()
  service.sessions = []
  await desk.load()
  expect(desk.state).toMatchObject({ me: null, current: { email: 'ada@example.com' } })
  service.signIn('ada@example.com')
  await desk.load()
  expect(desk.state.me?.user.email).toBe('ada@example.com')
  service.signIn('ada@example.com')
  const before = desk.state.connection
  await desk.switchTo(service.origin, 'ada@example.com')
  await desk.load()
  expect(desk.state.connection).not.toBe(before)
})

test('who goes on under another address stays who acts', async () => {
  const service = new FakeService()
  for (const email of ['ada@example.com', 'bob@example.com']) service.signIn(email)
  const desk = deskOf(service)
  await desk.switchTo(service.origin, 'ada@example.com')
  service.current = 'bob@example.com'
  await desk.load()
  const { current } = desk.state
  if (current) await desk.rename(current, 'ada@example.org')
  await desk.load()
  expect(desk.state.current?.email).toBe('ada@example.org')
})

test('an answer that was overtaken by a newer load is dropped', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  const gates: ((accounts: readonly StoredAccount[]) => void)[] = []
  const desk = deskOf(service, { accounts: () => new Promise((resolve) => gates.push(resolve)) })
  const [first, second] = [desk.load(), desk.load()]
  gates[1]?.([{ origin: service.origin, email: 'ada@example.com', isCurrent: true }])
  await second
  gates[0]?.([])
  await first
  expect(desk.state.me?.user.email).toBe('ada@example.com')
})

test('the log of requests is bounded, newest first', async () => {
  const service = new FakeService()
  const desk = deskOf(service)
  const { api } = await desk.connect(service.origin)
  for (let count = 0; count < 210; count += 1) await api.service.ok()
  expect(desk.state.requests).toHaveLength(200)
  expect(desk.state.requests[0]?.id).toBe('210')
})
