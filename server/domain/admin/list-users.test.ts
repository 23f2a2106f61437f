import { beforeAll, describe, expect, it } from 'vitest'
import { adminOf, somebody } from '../../testing/admins.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const admin = useMade(() => adminOf(service))
beforeAll(async () => {
  await service.deps.sql`
    insert into users (id, email, name, image) select 'u' || n, 'u' || n || '@list.example', 'Person ' || n, 'https://example.com/u.png'
    from generate_series(1, 250) as n
  `
})

const list = (query: string | Record<string, string>) =>
  admin.get(`/admin/list-users?${new URLSearchParams(query).toString()}`)
const ids = async (query: Record<string, string>): Promise<string[]> =>
  (await list({ searchValue: '@list.example', ...query })).body.users.map(({ id }: { id: string }) => id)

it('two statements tell a page and how many there are', async () => {
  service.statements.forget()
  const { status, body, headers } = await list({
    searchValue: '@LIST.example',
    limit: '10',
    offset: '20',
    sortBy: 'email',
  })
  expect([status, body.total, body.users.length, body.limit, body.offset]).toEqual([200, 250, 10, 10, 20])
  expect(service.statements.list).toHaveLength(2)
  expect(headers.get('link')).toMatch(/^<\?.*offset=30.*>; rel="next"$/)
  expect(Object.keys(body.users[0]).toSorted()).toEqual(
    [
      'id',
      'email',
      'name',
      'image',
      'emailVerified',
      'language',
      'createdAt',
      'updatedAt',
      'role',
      'banned',
      'banReason',
      'banExpires',
    ].toSorted(),
  )
})

it('limit and offset are answered only where they were asked for', async () => {
  const { body } = await list({})
  expect([body.users.length, 'limit' in body, 'offset' in body]).toEqual([100, false, false])
  expect((await list({ offset: '250' })).headers.get('link')).toBeNull()
})

it.each(['-1', '0', 'x', '1.5', '1e9', '1000000000', '101', ' ', '%', 'NaN'])(
  'a limit of %j gives a hundred at most',
  async (limit) => {
    const { status, body } = await list({ limit })
    expect([status, body.users.length, body.limit]).toEqual([200, 100, 100])
    expect((await list({ offset: limit, limit: '1' })).status).toBe(200)
  },
)

it('search and filter both have to hold, and the order is whole', async () => {
  await service.deps.sql`update users set banned = true where id in ('u1', 'u11', 'u2')`
  const query = { searchField: 'name', searchOperator: 'starts_with', searchValue: 'person 1' }
  expect(await ids({ ...query, filterField: 'banned', filterValue: 'true', sortBy: 'id' })).toEqual(['u1', 'u11'])
  expect(await ids({ filterField: 'id', filterValue: 'u7' })).toEqual(['u7'])
  expect(await ids({ filterValue: 'U8@list.example' })).toEqual(['u8'])
  expect(await ids({ searchField: 'name', searchOperator: 'ends_with', searchValue: ' 25', sortBy: 'name' })).toEqual([
    'u25',
  ])
  const [first, second] = [await ids({ sortBy: 'createdAt' }), await ids({ sortBy: 'createdAt', offset: '100' })]
  expect(new Set([...first, ...second]).size).toBe(200)
  expect(await ids({ sortBy: 'email', sortDirection: 'desc', limit: '2' })).toEqual(['u9', 'u99'])
})

it('a filter by a part of a text finds as a search does, and one by several values whoever has one of them', async () => {
  const sorted = { sortBy: 'id', searchField: 'name', searchValue: 'person 1' }
  expect(await ids({ ...sorted, filterField: 'email', filterOperator: 'starts_with', filterValue: 'U15' })).toEqual(
    await ids({ ...sorted, searchField: 'email', searchOperator: 'starts_with', searchValue: 'u15' }),
  )
  expect(await ids({ filterField: 'name', filterOperator: 'ends_with', filterValue: ' 25' })).toEqual(['u25'])
  expect(await ids({ filterOperator: 'contains', filterValue: 'u25@' })).toEqual(['u25'])
  const several = async (query: string) =>
    (await admin.get(`/admin/list-users?sortBy=id&${query}`)).body.users.map((user: { id: string }) => user.id)
  // As the JavaScript client sends an array.
  expect(await several('filterField=id&filterOperator=in&filterValue=u7&filterValue=u9')).toEqual(['u7', 'u9'])
  expect(await several('filterOperator=in&filterValue=U7@list.example,u8@list.example')).toEqual(['u7', 'u8'])
  await service.deps.sql`update users set roles = '{auditor}' where id = 'u7'`
  await service.deps.sql`update users set roles = '{support,user}' where id = 'u8'`
  const role = 'filterField=role&filterOperator'
  expect(await several(`${role}=in&filterValue=auditor&filterValue=support`)).toEqual(['u7', 'u8'])
  expect(await several(`${role}=not_in&filterValue=user&filterValue=admin`)).toEqual(['u7'])
  await service.deps.sql`update users set roles = null where id in ('u7', 'u8')`
})

describe('nothing else can be asked for', () => {
  it.each([
    ...[
      'password',
      'token',
      'tokenHash',
      'image',
      'banReason',
      'users.email',
      'email; drop table users',
      '',
      'constructor',
    ].flatMap((column) => [{ sortBy: column }, { filterField: column, filterValue: 'x' }]),
    { searchField: 'password', searchValue: 'x' },
    { searchField: 'role', searchValue: 'x' },
    { searchOperator: 'like', searchValue: 'x' },
    { sortDirection: 'up' },
    { filterField: 'id', filterOperator: 'contains', filterValue: 'x' },
    { filterField: 'createdAt', filterOperator: 'starts_with', filterValue: '2025' },
    { filterField: 'name', filterOperator: 'in', filterValue: 'x,y' },
    { filterField: 'banned', filterOperator: 'not_in', filterValue: 'true' },
    { filterField: 'id', filterOperator: 'in' },
    { filterField: 'role', filterOperator: 'not_in' },
    { filterField: 'role', filterOperator: 'ends_with', filterValue: 'x' },
    { filterField: 'role', filterOperator: 'lt', filterValue: 'x' },
    { filterField: 'banned', filterValue: 'maybe' },
    { filterField: 'createdAt', filterValue: 'today' },
    { filterField: 'createdAt', filterValue: '2025-99-99' },
    { searchValue: 'x'.repeat(201) },
  ])('%j is 400', async (query) => {
    const { status, body } = await list(query as Record<string, string>)
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it.each(['starts_with is for email and name', 'ends_with is for id, email and name'])('%s', async (rule) => {
    const [filterOperator = ''] = rule.split(' ')
    const { body } = await list({ filterField: 'role', filterOperator, filterValue: 'x' })
    expect(body.details).toMatchObject([{ message: expect.stringContaining(`another operator for role: ${rule}`) }])
  })

  it('and what looks like SQL finds only what is called so', async () => {
    for (const searchValue of ["' or 1=1 --", "%' or '1'='1", '\\', "'; drop table users; --"])
      expect((await list({ searchValue })).body).toEqual({ users: [], total: 0 })
  })
})

it('an outage is an outage, never an empty list', async () => {
  const { sql } = service.deps
  await sql`alter table users rename column ban_reason to away`
  const { status } = await list({})
  await sql`alter table users rename column away to ban_reason`
  expect(status).toBeGreaterThanOrEqual(500)
})

it('is asked for by nobody without the right, and shows nobody a password', async () => {
  const ann = await somebody(service)
  expect((await ann.get('/admin/list-users')).status).toBe(403)
  expect((await list({ searchValue: ann.email })).text).not.toMatch(/argon2|scrypt|password/)
})
