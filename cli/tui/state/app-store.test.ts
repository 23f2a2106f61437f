import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { StoredAccount, TuiPorts } from '../ports.ts'
import { FakeService, fakePorts } from '../testing/fake-service.ts'
import { AppStore } from './app-store.ts'

const streams = new EventEmitter() as unknown as Pick<TuiPorts, 'stdin' | 'stdout'>

function deskOf(service: FakeService, change: Partial<TuiPorts> = {}): AppStore {
  return new AppStore({ ...fakePorts(service, streams as TuiPorts), ...change })
}

test('the current account of the server it was started for is the one that acts', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  const elsewhere: StoredAccount = { origin: 'https://auth.example.com', email: 'bob@example.com', isCurrent: true }
  const here: StoredAccount = { origin: service.origin, email: 'ada@example.com', isCurrent: true }
  const store = deskOf(service, { accounts: async () => [elsewhere, here] })
  await store.load()
  expect(store.state).toMatchObject({ current: here, me: { user: { email: 'ada@example.com' } }, link: 'online' })
})

test('who was chosen acts, also at another server, until it is gone', async () => {
  const service = new FakeService()
  const [ada, bob] = [
    { origin: service.origin, email: 'ada@example.com', isCurrent: true },
    { origin: 'https://auth.example.com', email: 'bob@example.com', isCurrent: true },
  ]
  let accounts: readonly StoredAccount[] = [ada, bob]
  const store = deskOf(service, { accounts: async () => accounts })
  await store.switchTo('https://auth.example.com/api/auth', 'bob@example.com')
  await store.load()
  expect(store.state.current).toEqual(bob)
  accounts = [ada]
  await store.load()
  expect(store.state.current).toEqual(ada)
})

test('who signs in again is signed in, also in another terminal, though the old session was seen to be over', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  // A jar as it was when it was opened.
  const clientFor = async (_: string, email: string) => service.connection({ token: service.jars.get(email) ?? '' })
  const store = deskOf(service, { clientFor })
  await store.load()
  service.sessions = []
  await store.load()
  expect(store.state).toMatchObject({ me: null, current: { email: 'ada@example.com' } })
  service.signIn('ada@example.com')
  await store.load()
  expect(store.state.me?.user.email).toBe('ada@example.com')
  service.signIn('ada@example.com')
  const before = store.state.connection
  await store.switchTo(service.origin, 'ada@example.com')
  await store.load()
  expect(store.state.connection).not.toBe(before)
})

test('who goes on under another address stays who acts', async () => {
  const service = new FakeService()
  for (const email of ['ada@example.com', 'bob@example.com']) service.signIn(email)
  const store = deskOf(service)
  await store.switchTo(service.origin, 'ada@example.com')
  service.current = 'bob@example.com'
  await store.load()
  const { current } = store.state
  if (current) await store.rename(current, 'ada@example.org')
  await store.load()
  expect(store.state.current?.email).toBe('ada@example.org')
})

test('an answer that was overtaken by a newer load is dropped', async () => {
  const service = new FakeService()
  service.signIn('ada@example.com')
  const gates: ((accounts: readonly StoredAccount[]) => void)[] = []
  const store = deskOf(service, { accounts: () => new Promise((resolve) => gates.push(resolve)) })
  const [first, second] = [store.load(), store.load()]
  gates[1]?.([{ origin: service.origin, email: 'ada@example.com', isCurrent: true }])
  await second
  gates[0]?.([])
  await first
  expect(store.state.me?.user.email).toBe('ada@example.com')
})

test('the log of requests is bounded, newest first', async () => {
  const service = new FakeService()
  const store = deskOf(service)
  const { api } = await store.connect(service.origin)
  for (let count = 0; count < 210; count += 1) await api.service.ok()
  expect(store.state.requests).toHaveLength(200)
  expect(store.state.requests[0]?.id).toBe('210')
})
