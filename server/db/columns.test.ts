import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { FullUser, Session, User } from '../../shared/entities.ts'
import { Invitation, Member, Organization, OrganizationName, Team as WholeTeam } from '../../shared/organization.ts'
import { openClone } from '../testing/database.ts'
import {
  columnsOf,
  combineColumns,
  computedColumns,
  databaseDefault,
  fieldsOf,
  flagColumns,
  jsonFieldsOf,
  newRow,
  nullableColumns,
  unchanged,
  updatedColumns,
} from './columns.ts'
import type { Sql } from './connect.ts'
import { findSession } from './session-look-up.ts'
import { SessionColumns } from './sessions.ts'

/** A separate schema, so that this test does not change when teams get a field. */
const Team = z.object({
  id: z.string(),
  name: z.string(),
  organizationId: z.string(),
  createdAt: z.date(),
  updatedAt: z.date().nullable(),
})

let sql: Sql
let close: () => Promise<void>
const statements: string[] = []
beforeAll(async () => {
  ;({ sql, close } = await openClone({ onStatement: (text) => statements.push(text) }))
  await sql`insert into users (id, email, name, roles) values ('ann', 'ann@example.com', 'Ann', '{admin,user}')`
  await sql`insert into organizations (id, name, slug) values ('o', 'Acme', 'acme')`
  await sql`insert into members (id, organization_id, user_id, roles) values ('m', 'o', 'ann', '{owner,member}')`
  await sql`
    insert into sessions (id, user_id, token_hash, expires_at) values ('s', 'ann', ${Buffer.from('x')}, now() + interval '1 d')
  `
})
afterAll(() => close())

const textOf = async (query: PromiseLike<unknown>) => {
  statements.length = 0
  await query
  return statements.at(-1)?.replaceAll(/\s+/g, ' ').trim()
}

describe('the columns of an entity', () => {
  it('are those that its schema names, as the table has them', async () => {
    expect(await textOf(sql`select ${columnsOf(sql, Team)} from teams`)).toBe(
      'select "id", "name", "organization_id", "created_at", "updated_at" from teams',
    )
    expect(await textOf(sql`select ${columnsOf(sql, OrganizationName, 'o')} from organizations o`)).toBe(
      'select "o"."id", "o"."name", "o"."slug" from organizations o',
    )
    const more = OrganizationName.extend({ createdAt: z.date() })
    expect(await textOf(sql`select ${columnsOf(sql, more)} from organizations`)).toBe(
      'select "id", "name", "slug", "created_at" from organizations',
    )
  })

  it('are the same text each time, after whatever words', async () => {
    const ask = () => sql`select 1 in (select 1) as x, ${columnsOf(sql, Team, 't')} from teams t where id in ('x')`
    expect(await textOf(ask())).toBe(await textOf(ask()))
    expect(await textOf(ask())).toContain('as x, "t"."id", "t"."name"')
  })

  // The driver keeps every template forever, so a new one for each call would fill the memory.
  it('are one template, however often they are asked for', () => {
    const templates = Array.from({ length: 3 }, () => Reflect.get(columnsOf(sql, Member, 'm'), 'texts') as unknown)
    expect([Array.isArray(templates[0]), new Set(templates).size]).toEqual([true, 1])
  })

  it.each([
    ['users', User],
    ['users', FullUser],
    ['sessions', SessionColumns],
    ['organizations', Organization],
    ['members', Member],
    ['invitations', Invitation],
    ['teams', WholeTeam],
  ])('of %s are all there', async (table, entity) => {
    const rows = await sql<object[]>`select ${columnsOf(sql, entity as z.ZodObject)} from ${sql(table)}`
    expect(rows.columns.map(({ name }) => name)).toEqual(Object.keys(entity.shape))
  })

  it('that no table has are refused by the server, not left out', async () => {
    const more = Team.extend({ colour: z.string() })
    await expect(sql`select ${columnsOf(sql, more)} from teams`).rejects.toMatchObject({ code: '42703' })
  })

  it('are returned by what is written, also through a step', async () => {
    const [changed] = await sql`update members set roles = '{owner}' where id = 'm' returning ${columnsOf(sql, Member)}`
    expect(changed).toMatchObject({ id: 'm', organizationId: 'o', userId: 'ann', role: ['owner'], teamId: null })
    const step = sql`update members m set roles = '{owner,member}' returning ${columnsOf(sql, Member, 'm')}`
    const [again] = await sql`with made as (${step}) select ${fieldsOf(sql, Member, 'x')} from made x`
    expect(again).toEqual({ ...changed, role: ['owner', 'member'] })
  })
})

describe('a row', () => {
  it('has the type of the columns that stand in the statement', async () => {
    const [row] = await sql`
      select ${columnsOf(sql, Member, 'm')}, ${computedColumns<{ userName: string }>(sql, { userName: sql`u.name` })},
        ${flagColumns(sql, 'f', 'isMember')}
      from members m join users u on u.id = m.user_id, (select true as is_member) f
    `
    expectTypeOf(row!.role).toEqualTypeOf<readonly string[]>()
    expectTypeOf(row!.createdAt).toEqualTypeOf<Date>()
    expectTypeOf(row!.userName).toEqualTypeOf<string>()
    expectTypeOf(row!.isMember).toEqualTypeOf<boolean>()
    // @ts-expect-error: nobody asked for it
    expect(row!.email).toBeUndefined()
    expect(row).toMatchObject({ id: 'm', userName: 'Ann', isMember: true })
  })

  it('that may be missing is told by any of its fields', async () => {
    const [row] = await sql`
      select ${nullableColumns(combineColumns(sql, columnsOf(sql, Team, 't'), computedColumns<{ more: number }>(sql, { more: sql`t.n` })))}
      from (select) x left join (select *, 1 as n from teams) t on true
    `
    if (row!.id === null) expectTypeOf(row!.name).toEqualTypeOf<null>()
    else expectTypeOf(row!.name).toEqualTypeOf<string>()
    expect(row).toEqual({ id: null, name: null, organizationId: null, createdAt: null, updatedAt: null, more: null })
  })

  it('in JSON has the fields by their names', async () => {
    const step = sql`select ${columnsOf(sql, Member)} from members`
    const [row] = await sql<{ made: object }[]>`
      select json_build_object(${jsonFieldsOf(sql, Member, 's')}, 'more', 1) as made from (${step}) s
    `
    expect(row?.made).toEqual({
      id: 'm',
      organizationId: 'o',
      userId: 'ann',
      role: ['owner', 'member'],
      teamId: null,
      teamIds: [],
      createdAt: expect.any(String),
      more: 1,
    })
  })

  it('with what is computed names each of its fields, or does not compile', () => {
    // @ts-expect-error: `slug` is forgotten
    expect(computedColumns<{ name: string; slug?: string }>(sql, { name: sql`o.name` })).toBeTruthy()
  })
})

it('computed columns are made of a column or an expression, whichever was told before', async () => {
  const selected = async (made: Record<'one' | 'two', Parameters<typeof computedColumns<{ one: number }>>[1]['one']>) =>
    (await textOf(
      sql`select ${computedColumns<{ one: number; two: number }>(sql, made)} from (select 1 as a, 2 as b) t`,
    )) ?? ''
  const [a, b] = [sql`t.a + 1`, sql`t.b`]
  const ways = [
    { one: 't.a', two: 't.b' },
    { one: a, two: 't.b' },
    { one: 't.a', two: b },
    { one: b, two: a },
    { two: a, one: b },
  ]
  const told = [
    '"t"."a" as "one", "t"."b" as "two"',
    't.a + 1 as "one", "t"."b" as "two"',
    '"t"."a" as "one", t.b as "two"',
    't.b as "one", t.a + 1 as "two"',
    't.a + 1 as "two", t.b as "one"',
  ]
  for (const _ of [1, 2]) for (const [n, way] of ways.entries()) expect(await selected(way)).toContain(told[n])
})

describe('what is written of an entity', () => {
  const team = {
    id: 't',
    name: 'Red',
    organizationId: 'o',
    createdAt: databaseDefault,
    updatedAt: databaseDefault,
  } as const

  it('has the columns of its schema, and leaves to the database what it says so of', async () => {
    const written = sql`insert into teams ${newRow(sql, Team, team)} where true returning ${columnsOf(sql, Team)}`
    expect(await textOf(written)).toBe(
      'insert into teams ("id", "name", "organization_id") select $1, $2, $3 where true returning "id", "name", "organization_id", "created_at", "updated_at"',
    )
    expect(await written).toMatchObject([{ id: 't', name: 'Red', createdAt: expect.any(Date), updatedAt: null }])
  })

  it('may have columns that are none of its fields', async () => {
    const { secret, ...fields } = { ...team, id: 'other', secret: sql`now()` }
    const written = sql`insert into teams ${newRow(sql, Team.omit({ updatedAt: true }), fields, { updatedAt: secret })}`
    expect(await textOf(written)).toBe(
      'insert into teams ("id", "name", "organization_id", "updated_at") select $1, $2, $3, now()',
    )
  })

  it('changes what is given, and leaves the rest as it is', async () => {
    const stays = { id: unchanged, organizationId: unchanged, createdAt: unchanged } as const
    const edit = (name?: string) =>
      sql`update teams set ${updatedColumns(sql, Team, { ...stays, name, updatedAt: sql`now()` })} where id = 't' returning name`
    expect(await edit('Blue')).toEqual([{ name: 'Blue' }])
    expect(await textOf(edit())).toBe(
      'update teams set "name" = "name", "updated_at" = now() where id = \'t\' returning name',
    )
    expect(await edit()).toEqual([{ name: 'Blue' }])
  })

  it('speaks of each field, or does not compile', () => {
    const { name: _name, ...others } = team
    // @ts-expect-error: `name` is forgotten
    expect(newRow(sql, Team, others)).toBeTruthy()
    const edit = { name: 'x', organizationId: unchanged, createdAt: unchanged, updatedAt: unchanged } as const
    // @ts-expect-error: `id` is forgotten
    expect(updatedColumns(sql, Team, edit)).toBeTruthy()
    const more = Team.extend({ description: z.string().nullable().optional() })
    // @ts-expect-error: a field that is optional is forgotten, too
    expect(newRow(sql, more, team)).toBeTruthy()
  })
})

it('the statement of every request, which is written by hand, names what the schemas name', async () => {
  const lifetimes = { expiresIn: 1, updateAge: 1, maxAge: 1, freshAge: 1 }
  const { session, user } = (await findSession(sql, Buffer.from('x'), lifetimes))!
  const sorted = (value: object) => Object.keys(value).toSorted()
  expect([sorted(session), sorted(user)]).toEqual([sorted(Session.omit({ token: true }).shape), sorted(FullUser.shape)])
  expect(Object.values({ ...session, ...user })).not.toContain(undefined)
  expect([session.id, user.id, user.role]).toEqual(['s', 'ann', ['admin', 'user']])
})
