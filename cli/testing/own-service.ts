import type { Server } from 'node:http'
import type { Environment } from '../../server/config.ts'
import { drain, listen } from '../../server/process/listen.ts'
import { freePort } from '../../server/testing/ports.ts'
import { proveAddress } from '../../server/testing/prove-address.ts'
import { createTestService, type TestParts, type TestService, testPassword } from '../../server/testing/service.ts'
import { type Held, Interceptor, type Relay } from './interceptor.ts'
import { createRunner, type Runner } from './run-cli.ts'

export type TestPerson = Runner & { readonly email: string }

/** The whole service on a real socket in this process, and people who each have a machine of their own. */
export async function startOwnService(settings: Environment = {}, parts: TestParts = {}) {
  const { url, address } = await newAddress(settings)
  const service = await createTestService({ ...address, ...settings }, parts)
  const asked: string[] = []
  const running = await startAt(service, url, asked)
  const siblings: RunningService[] = []
  return {
    ...running,
    /** What was asked, of siblings too, oldest first: `POST /sign-out`. */
    asked,
    /** The same people at an address of its own, with other settings. */
    sibling: async (others: Environment): Promise<RunningService> => {
      const next = await newAddress()
      const sibling = await startAt(await service.sibling({ ...settings, ...next.address, ...others }), next.url, asked)
      siblings.push(sibling)
      return sibling
    },
    /** Takes everybody and everything away. */
    empty: async () => {
      const { sql } = service.deps
      // Not truncate: that makes new files for each table and index, which takes ten times as long as these few rows.
      for (const table of ['users', 'organizations', 'outbox', 'verifications', 'device_requests'])
        await sql`delete from ${sql(table)}`
    },
    stop: async () => {
      await Promise.all([running, ...siblings].map(({ goAway }) => goAway()))
      await service.stop()
    },
  }
}

export type OwnService = Awaited<ReturnType<typeof startOwnService>>
export type RunningService = Awaited<ReturnType<typeof startAt>>

async function newAddress({ PORT }: Environment = {}) {
  const port = PORT ?? (await freePort())
  const url = `http://localhost:${port}`
  return { url, address: { PORT: String(port), BASE_URL: url } }
}

async function startAt(service: TestService, url: string, asked: string[]) {
  const { config, sql } = service.deps
  const interceptor = new Interceptor(service.app.fetch, config.BASE_PATH, asked)
  let server: Server | undefined = await listen(config, interceptor.fetch)
  const machine = (): Runner => createRunner({ env: { POSTERN_URL: url } })
  const stranger = (name: string) => signUp(machine(), `${name.toLowerCase()}@example.com`, name)
  return {
    service,
    url,
    hold: (call: string): Held => interceptor.hold(call),
    replace: (call: string, answer: Response): void => interceptor.replace(call, answer),
    /** Everything that is asked goes through it from now on. */
    relayBy: (relay: Relay): void => {
      interceptor.relay = relay
    },
    /** How many connections are open. */
    connections: () => new Promise<number>((resolve) => server?.getConnections((_, count) => resolve(count))),
    /** The command line with files of its own; nobody is signed in. */
    machine,
    /** Signed up and in; the address is not verified. */
    stranger,
    /** The same with a verified address. */
    person: async (name: string): Promise<TestPerson> => {
      const person = await stranger(name)
      await proveAddress(sql, person.email)
      return person
    },
    /** Nobody answers at its address from now on. */
    goAway: async () => {
      if (server) await drain(server, 0)
      server = undefined
    },
    comeBack: async () => {
      server = await listen(config, interceptor.fetch)
    },
  }
}

/** Signs somebody up, and in on that machine. */
export async function signUp(machine: Runner, email: string, name: string): Promise<TestPerson> {
  const argv = ['sign-up', '--email', email, '--name', name, '--password-file', '-']
  const { code, stderr } = await machine(argv, { stdin: testPassword })
  if (code !== 0) throw new Error(stderr)
  return Object.assign(machine, { email })
}
