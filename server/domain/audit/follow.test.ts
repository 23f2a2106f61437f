import { expect, it } from 'vitest'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Sql } from '../../db/connect.ts'
import { adminOf } from '../../testing/admins.ts'
import { testEvent } from '../../testing/client.ts'
import { done } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService({ DATABASE_POOL: '20' })
const admin = useMade(() => adminOf(service))

interface Page {
  readonly events: readonly { readonly id: string; readonly createdAt: string }[]
  readonly next: string | null
  readonly latest: string
}

const list = (query: Record<string, string>): Promise<Page> =>
  done(admin.get(`/admin/list-audit-events?${new URLSearchParams(query).toString()}`))

/** Reads on until there is nothing more for now; answers where. */
async function readOn(from: string, ids: string[]): Promise<string> {
  for (let after = from; ; ) {
    const page = await list({ after, limit: '7' })
    ids.push(...page.events.map(({ id }) => id))
    after = page.latest
    if (page.next === null) return after
  }
}

/** A transaction that tells something, and takes its time until it is done, or undone. */
const write = async (isDone: boolean): Promise<string> => {
  const event = testEvent('team-created', { userId: null, organizationId: 'o', target: crypto.randomUUID() })
  const work = service.deps.sql.begin(async (tx) => {
    await insertAuditEvent(tx as unknown as Sql, event)
    await tx`select pg_sleep(random() * 0.2)`
    if (!isDone) throw new Error('undone')
  })
  await work.catch(() => undefined)
  return event.id
}

it('misses nothing and repeats nothing while 200 write at once, whoever commits first', async () => {
  const { latest } = await list({ limit: '1' })
  const seen: string[] = []
  let isOver = false
  const following = (async () => {
    let after = latest
    while (!isOver) after = await readOn(after, seen)
    await readOn(after, seen)
  })()
  const written = await Promise.all(Array.from({ length: 200 }, (_, n) => write(n % 10 !== 0)))
  isOver = true
  await following
  const kept = written.filter((_id, n) => n % 10 !== 0)
  expect(seen.toSorted()).toEqual(kept.toSorted())
})

it('goes on where the list stands, and tells of a transaction that was under way then', async () => {
  let first: Page | undefined
  const event = testEvent('team-deleted', { userId: null, organizationId: 'o', target: 't' })
  await service.deps.sql.begin(async (tx) => {
    await insertAuditEvent(tx as unknown as Sql, event)
    await write(true)
    first = await list({ limit: '3' })
  })
  expect(first?.events.map(({ id }) => id)).not.toContain(event.id)
  const [later, seen] = [await write(true), [] as string[]]
  const after = await readOn(first!.latest, seen)
  expect(seen).toEqual([event.id, later])
  expect((await list({ after })).events).toEqual([])
})

it('is narrowed as the list is', async () => {
  const { latest: after } = await list({ limit: '1' })
  await write(true)
  const ann = await service.person()
  await done(ann.post('/sign-out'))
  const events = (query: Record<string, string>) => list({ after, ...query }).then((page) => page.events.length)
  expect(await events({})).toBe(3)
  expect(await events({ event: 'sign-up,team' })).toBe(2)
  expect(await events({ organizationId: 'o' })).toBe(1)
  expect(await events({ until: '2020-01-01T00:00:00Z' })).toBe(0)
  const own = await done(ann.get('/get-session'))
  expect(own).toBeNull()
})

it('passes over rows of another server that came from its dump', async () => {
  const { latest: after } = await list({ limit: '1' })
  await service.deps.sql`
    insert into audit_events (id, event, request_id, copy, xid)
    values ('restored', 'team-created', 'r', 0, pg_current_xact_id())
  `
  const id = await write(true)
  expect((await list({ after })).events.map((event) => event.id)).toEqual([id])
  expect((await list({ event: 'team-created' })).events.map((event) => event.id)).toContain('restored')
})
