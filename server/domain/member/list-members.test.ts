import { beforeAll, expect, it } from 'vitest'
import { organizationKey } from '../../testing/machines.ts'
import { done, type Founded, found, newSlug } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const prefix = newSlug()
const acme = useMade(() => found(service))
beforeAll(async () => {
  await join(acme, ['Ann Lee', 'JOANNA', '50% Bo', String.raw`Back\slash`, 'Under_score', 'Cy'])
  const { sql } = service.deps
  await sql`update members set roles = '{member,admin}' where id in (${`${prefix}-0`}, ${`${prefix}-5`})`
  // Somebody else's organization has people who match too.
  await join(await found(service), ['Ann Other'], 'other')
})

/** Puts people of these names into the organization, one after the other. */
async function join({ id }: Founded, names: readonly string[], start = prefix): Promise<void> {
  const { sql } = service.deps
  for (const [index, name] of names.entries()) {
    const person = `${start}-${index}`
    await sql`insert into users (id, name, email) values (${person}, ${name}, ${`${person}@mail.example`})`
    await sql`insert into members (id, organization_id, user_id) values (${person}, ${id}, ${person})`
  }
}

interface Listed {
  readonly members: readonly { readonly user: { readonly name: string } }[]
  readonly total: number
}

async function list(query: Record<string, string>): Promise<readonly [names: readonly string[], total: number]> {
  const path = `/organization/list-members?${new URLSearchParams(query).toString()}`
  const { members, total } = (await done(acme.owner.get(path))) as Listed
  return [members.map(({ user }) => user.name), total]
}

it('finds members by part of their name or address, in any case', async () => {
  expect(await list({ search: 'aNn' })).toEqual([['Ann', 'Ann Lee', 'JOANNA'], 3])
  expect(await list({ search: `${prefix.toUpperCase()}-5@` })).toEqual([['Cy'], 1])
  expect(await list({ search: 'nobody there' })).toEqual([[], 0])
  expect((await list({ search: '' }))[1]).toBe(7)
})

it('takes the characters of patterns as they are', async () => {
  expect((await list({ search: '%' }))[0]).toEqual(['50% Bo'])
  expect((await list({ search: '_' }))[0]).toEqual(['Under_score'])
  expect((await list({ search: '\\' }))[0]).toEqual([String.raw`Back\slash`])
})

it('finds members by one of their roles, and by both', async () => {
  expect(await list({ role: 'admin' })).toEqual([['Ann Lee', 'Cy'], 2])
  expect(await list({ role: 'admin', search: 'ann' })).toEqual([['Ann Lee'], 1])
  expect(await list({ role: 'adm' })).toEqual([[], 0])
  expect((await list({ role: '' }))[1]).toBe(7)
})

it('counts all who match, whatever the page', async () => {
  const all = { search: 'mail.example' }
  const pages = [await list({ ...all, limit: '4' }), await list({ ...all, limit: '4', offset: '4' })]
  expect(pages.map(([names, total]) => [names.length, total])).toEqual([
    [4, 6],
    [2, 6],
  ])
  expect(pages.flatMap(([names]) => names)).toEqual((await list(all))[0])
  const { headers } = await acme.owner.get('/organization/list-members?search=mail.example&limit=4')
  expect(headers.get('link')).toBe('<?search=mail.example&limit=4&offset=4>; rel="next"')
  expect(await list({ ...all, offset: '6' })).toEqual([[], 6])
})

it('finds a machine by its name, not by an address that nobody reads', async () => {
  const { userId } = await organizationKey(acme, { name: 'deploy robot' })
  const [user] = await service.deps.sql<{ email: string }[]>`select email from users where id = ${userId}`
  expect(await list({ search: 'ROBOT' })).toEqual([['deploy robot'], 1])
  expect(await list({ search: user?.email ?? '' })).toEqual([[], 0])
})

const refused = async (query: Record<string, string>) => {
  const { status, body } = await acme.owner.get(`/organization/list-members?${new URLSearchParams(query).toString()}`)
  return [status, body.details?.[0].path]
}

it('filters by the fields of a member', async () => {
  const one = { filterField: 'userId', filterValue: `${prefix}-0` }
  expect(await list(one)).toEqual([['Ann Lee'], 1])
  expect((await list({ ...one, filterOperator: 'ne' }))[1]).toBe((await list({}))[1] - 1)
  const two = { filterField: 'id', filterOperator: 'in', filterValue: `${prefix}-0,${prefix}-5` }
  expect(await list(two)).toEqual([['Ann Lee', 'Cy'], 2])
  // As the JavaScript client sends an array.
  const path = `/organization/list-members?organizationId=${acme.id}&filterField=id&filterOperator=in`
  const values = `filterValue=${prefix}-0&filterValue=${prefix}-5`
  const sent = await acme.owner.get(`${path}&${values}&limit=1`)
  expect([sent.body.total, sent.headers.get('link')]).toEqual([
    2,
    expect.stringContaining(`${values}&limit=1&offset=1`),
  ])
  const role = { filterField: 'role', filterValue: 'admin', search: 'mail.example' }
  expect(await list(role)).toEqual([['Ann Lee', 'Cy'], 2])
  expect(await list({ ...role, filterOperator: 'contains' })).toEqual([['Ann Lee', 'Cy'], 2])
  expect((await list({ ...role, filterOperator: 'ne', search: 'ann' }))[0]).toEqual(['Ann', 'JOANNA'])
  const young = { filterField: 'createdAt', filterOperator: 'gt', filterValue: '2999-01-01' }
  expect(await list(young)).toEqual([[], 0])
})

it.each(['id', 'userId', 'role', 'createdAt'])('sorts by %s, and pages in that order', async (sortBy) => {
  const sorted = { search: 'mail.example', sortBy, sortDirection: 'desc' }
  const [names] = await list(sorted)
  const pages = [await list({ ...sorted, limit: '4' }), await list({ ...sorted, limit: '4', offset: '4' })]
  expect(pages.flatMap(([page]) => page)).toEqual(names)
  expect((await list({ ...sorted, sortDirection: 'asc' }))[0]).toEqual(names.toReversed())
  expect(names).toHaveLength(6)
  expect(names[0]).toBe('Cy')
})

it('finds the organization by its slug, and somebody else’s not', async () => {
  const other = await found(service)
  const { body } = await acme.owner.get(`/organization/list-members?organizationSlug=${acme.slug.toUpperCase()}`)
  expect(body.members[0].organizationId).toBe(acme.id)
  const foreign = await acme.owner.get(`/organization/list-members?organizationSlug=${other.slug}`)
  const unknown = await acme.owner.get('/organization/list-members?organizationSlug=no-such-slug')
  expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
})

it('refuses what a field does not allow, by name', async () => {
  const at = { filterField: 'createdAt', filterValue: '2026-01-01' }
  expect(await refused({ filterField: 'email', filterValue: 'x' })).toEqual([400, 'filterField'])
  expect(await refused({ ...at, filterOperator: 'in' })).toEqual([400, 'filterOperator'])
  expect(await refused({ ...at, filterValue: 'soon' })).toEqual([400, 'filterValue'])
  expect(await refused({ filterField: 'role', filterOperator: 'lt', filterValue: 'x' })).toEqual([
    400,
    'filterOperator',
  ])
  expect(await refused({ filterField: 'id', filterOperator: 'contains', filterValue: 'x' })).toEqual([
    400,
    'filterOperator',
  ])
  expect(await refused({ sortBy: 'password' })).toEqual([400, 'sortBy'])
})
