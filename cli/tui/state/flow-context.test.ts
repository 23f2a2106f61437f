import { EventEmitter } from 'node:events'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { impersonateUser } from '../../flows/admin/impersonate.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { revokeAll } from '../../flows/session/revoke.ts'
import { adminOf } from '../../testing/admin.ts'
import { type RunningService, signUp } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import type { TuiPorts } from '../ports.ts'
import { ada, bob, eve } from '../testing/people.ts'
import { portsOn } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'
import { AppStore } from './app-store.ts'
import { flowContextOf } from './flow-context.ts'

const screens = useScreens()
let elsewhere: RunningService
let store: AppStore
beforeAll(async () => {
  elsewhere = await screens.own.sibling({})
})
afterEach(() => store.ports.close())

/** The terminal UI of a machine that Ada, an administrator, and Eve are signed in on, each at another server. */
async function openForTwo(): Promise<Runner> {
  const machine = await adminOf(screens.own)
  const there: Runner = Object.assign(
    ((argv, options) => machine(argv, { ...options, env: { POSTERN_URL: elsewhere.url } })) as Runner,
    machine,
  )
  await signUp(there, eve, 'Eve')
  await screens.own.stranger('Bob')
  const streams = { stdin: new EventEmitter(), stdout: new EventEmitter() } as unknown as TuiPorts
  store = new AppStore(portsOn(machine, streams))
  return machine
}

const adaHere = () => ({ origin: screens.own.url, email: ada })
const eveThere = () => ({ origin: elsewhere.url, email: eve })

async function use(account: { readonly origin: string; readonly email: string }): Promise<void> {
  await store.accounts.choose(account)
  await store.load()
}

const contextNow = () => flowContextOf(store, () => Promise.reject(new Error('Nothing is waited for')))

/** What a server is asked from now on. */
function askedAt({ relayBy }: Pick<RunningService, 'relayBy'>): readonly string[] {
  const asked: string[] = []
  relayBy((call, _request, ask) => {
    asked.push(call)
    return ask()
  })
  return asked
}

const stop = 'POST /admin/stop-impersonating'

test('the impersonation of an account at another server is ended there, where its token belongs', async () => {
  const machine = await openForTwo()
  await machine(`admin user impersonate ${bob}`)
  await use(eveThere())
  const [here, there] = [askedAt(screens.own), askedAt(elsewhere)]
  await signOut.run(contextNow(), adaHere(), {})
  expect(here).toContain(stop)
  expect(there).not.toContain(stop)
})

test('an impersonation by an account that is not in use is told as that, and leads nowhere', async () => {
  const machine = await openForTwo()
  await machine(`admin user impersonate ${bob}`)
  await use(eveThere())
  const done = await signOut.run(contextNow(), adaHere(), {})
  expect(done.sentence).toBe(`Stopped the impersonation of ${bob} by ${ada} at ${screens.own.url}`)
  expect(done.leadsHome).toBe(false)
})

test('where the service cannot end such an impersonation, nobody is told to be somebody again', async () => {
  const machine = await openForTwo()
  await machine(`admin user impersonate ${bob}`)
  await use(eveThere())
  screens.own.replace(stop, new Response(null, { status: 500 }))
  const stopped = signOut.run(contextNow(), adaHere(), {})
  await expect(stopped).rejects.toThrow(/^Stopped here, but the service could not end the impersonation of bob/)
})

test('the token of an account goes to the path of its service, whichever server is in use', async () => {
  await openForTwo()
  const under = `${screens.own.url}/under`
  store = new AppStore({ ...store.ports, server: under })
  await use(eveThere())
  const { server } = await contextNow().withToken(screens.own.url, 'token')
  expect(server).toBe(under)
})

test('an impersonation begins at the server of the account that began it', async () => {
  await openForTwo()
  await use(adaHere())
  const context = contextNow()
  const { users } = await (await context.signedIn()).api.admin.listUsers({})
  const user = users.find(({ email }) => email === bob)
  await use(eveThere())
  const there = askedAt(elsewhere)
  if (user) await impersonateUser.run(context, user, {})
  expect(there).toEqual([])
  expect(await store.accounts.impersonation(adaHere())).toMatchObject({ email: bob })
})

test('what ends the sessions of an account leaves the one that is used by then alone', async () => {
  await openForTwo()
  await use(adaHere())
  const context = contextNow()
  const held = screens.own.hold('POST /revoke-sessions')
  const revoked = revokeAll.run(context, undefined, {})
  await held.answered
  await use(eveThere())
  held.release()
  await revoked
  expect(await store.accounts.find(adaHere())).toBeUndefined()
  expect(await store.accounts.find(eveThere())).toMatchObject({ email: eve })
})
