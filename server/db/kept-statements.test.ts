import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClone } from '../testing/database.ts'
import { type AuditFilter, listAuditEvents } from './audit-list.ts'
import { inOneTrip, type Sql } from './connect.ts'
import { listMembers, type MemberFilter } from './member-list.ts'
import { listUsers, operators, type UserFilter } from './user-list.ts'

let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ sql, close } = await openClone())
  await sql`insert into users (id, email, name, email_verified, roles) values ('ann', 'ann@example.com', 'Ann', true, '{user}')`
  await sql`insert into organizations (id, name, slug) values ('acme', 'Acme', 'acme')`
  await sql`insert into members (id, organization_id, user_id, roles) values ('first', 'acme', 'ann', '{owner}')`
})
afterAll(() => close())

const kept = async (table: string) => {
  const [found] =
    await sql`select count(*)::integer as n from pg_prepared_statements where statement like ${`%from ${table}%`}`
  return found?.n
}

const page = { limit: 10, offset: 0 }
const ways = Object.keys(operators) as (keyof typeof operators)[]
const oldest = { field: 'createdAt', isDescending: false } as const

const users = (filter: UserFilter | null, on = sql) => listUsers(on, { search: null, filter, sort: oldest, page })
const members = (filter: MemberFilter | null, on = sql) =>
  listMembers(
    on,
    { organizationId: 'acme', userId: 'ann' },
    { search: null, role: null, filter, sort: oldest, ...page },
  )

it('keeps a list of users prepared, and none of the forms of its filters', async () => {
  for (const operator of ways) {
    await users({ field: 'name', operator, value: 'ann' })
    await users({ field: 'createdAt', operator, value: new Date() })
    await users({ field: 'own', name: 'plan', operator, value: 'pro' })
  }
  expect(await kept('users u')).toBe(0)
  await users(null)
  expect(await kept('users u')).toBe(1)
})

it('keeps a list of members prepared, and none of the forms of its filters', async () => {
  for (const isAmong of [true, false]) await members({ field: 'role', isAmong, values: ['owner'] })
  for (const operator of ways) await members({ field: 'createdAt', operator, value: new Date() })
  expect(await kept('members')).toBe(0)
  await members(null)
  expect(await kept('members')).toBe(1)
})

it('keeps what is often asked of the trail, and no form of three conditions', async () => {
  const all = { events: null, userId: null, actorId: null, organizationId: null, since: null, until: null }
  const events = (filter: Partial<AuditFilter>) =>
    listAuditEvents(sql, { reader: { kind: 'all' }, filter: { ...all, ...filter }, limit: 10 }, null)
  const [since, until] = [new Date(0), new Date()]
  await events({ userId: 'ann', since, until })
  await events({ organizationId: 'acme', since, until })
  expect(await kept('audit_events e')).toBe(0)
  await events({ userId: 'ann', since })
  await events({})
  expect(await kept('audit_events e')).toBe(2)
})

const filters: readonly (MemberFilter | null)[] = [
  { field: 'userId', isAmong: true, values: ['ann'] },
  null,
  { field: 'userId', isAmong: false, values: ['ann'] },
]
const readInOneTrip = async () => {
  const lists = await inOneTrip(sql, ...filters.map((filter) => (one: Sql) => members(filter, one)), (one) =>
    users({ field: 'email', operator: 'ne', value: 'ann@example.com' }, one),
  )
  return lists.map(({ total }) => total)
}

it('answers both kinds in one trip', async () => {
  for (let round = 0; round < 3; round += 1) expect(await readInOneTrip()).toEqual([1, 1, 0, 0])
})

it('prepares again what the server dropped, also when the first of a trip is not kept', async () => {
  await members(null)
  await sql`deallocate all`
  expect(await readInOneTrip()).toEqual([1, 1, 0, 0])
})

it('prepares what a trip has several times once', async () => {
  const ask = (n: number) => (one: Sql) =>
    one<{ n: number }[]>`select ${n}::integer + count(*)::integer as n from machine_keys k`
  const answers = await inOneTrip(sql, ask(1), ask(2), ask(3))
  expect(answers.map(([row]) => row?.n)).toEqual([1, 2, 3])
  expect(await kept('machine_keys k')).toBe(1)
  expect((await inOneTrip(sql, ask(4), ask(5))).map(([row]) => row?.n)).toEqual([4, 5])
  expect(await kept('machine_keys k')).toBe(1)
})
