import { expect, vi } from 'vitest'
import type { Environment } from '../../config.ts'
import { patience } from '../database.ts'
import { serviceOn, type TestService } from '../service.ts'
import { createVisitor, type Reply, type Visitor } from '../visitor.ts'
import type { Replicated } from './replicated.ts'

/** A service on the primary, which reads lists from the replica unless `replica` says otherwise. */
export const openReader = (servers: Replicated, more: Environment = {}): Promise<TestService> =>
  serviceOn(
    servers.primary.url,
    { DATABASE_URL: servers.primary.url, DATABASE_REPLICA_URL: servers.replica.url, ...more },
    { deadlines: patience },
  )

export const position = 'postern.position'

/** The same person at another service, with the same cookies. */
export function at<P extends Visitor>(service: TestService, person: P): P {
  const visitor = createVisitor(service.app, service.deps.config)
  const asPerson =
    <Args extends unknown[]>(ask: (...args: Args) => Promise<Reply>) =>
    async (...args: Args): Promise<Reply> => {
      copy(person.cookies, visitor.cookies)
      const reply = await ask(...args)
      copy(visitor.cookies, person.cookies)
      return reply
    }
  return {
    ...person,
    send: asPerson((path: string, init: RequestInit) => visitor.send(path, init)),
    get: asPerson((path: string, headers?: Record<string, string>) => visitor.get(path, headers)),
    post: asPerson((path: string, body?: unknown, headers?: Record<string, string>) =>
      visitor.post(path, body, headers),
    ),
  }
}

function copy(from: ReadonlyMap<string, string>, to: Map<string, string>): void {
  to.clear()
  for (const [name, value] of from) to.set(name, value)
}

/** The same person, who has written nothing for long. */
export function rested<P extends Visitor>(service: TestService, person: P): P {
  const own = at(service, { ...person, cookies: new Map(person.cookies) })
  own.cookies.delete(position)
  return own
}

/** Until the service reads lists from the replica. */
export async function warm(service: TestService, reader: Visitor): Promise<void> {
  const before = service.reads.replica
  await vi.waitFor(
    async () => {
      await rested(service, reader).get('/organization/list')
      expect(service.reads.replica).toBeGreaterThan(before)
    },
    { timeout: 60_000, interval: 100 },
  )
}

/** An answer, and where its list was read. */
export async function readAt(
  service: TestService,
  ask: () => Promise<Reply>,
): Promise<Reply & { readonly place: string }> {
  const { replica, primary } = service.reads
  const reply = await ask()
  const places = [
    ...Array<string>(service.reads.replica - replica).fill('replica'),
    ...Array<string>(service.reads.primary - primary).fill('primary'),
  ]
  return { ...reply, place: places.join(', ') }
}
