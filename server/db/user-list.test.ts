import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openClone } from '../testing/database.ts'
import { listedUsers as many, timeFor } from '../testing/rounds.ts'
import type { Sql } from './connect.ts'
import { listUsers, type UserQuery } from './user-list.ts'

let sql: Sql
let close: () => Promise<void>
const statements: string[] = []
beforeAll(async () => {
  ;({ sql, close } = await openClone({
    deadlines: { queue: 100_000, query: 100_000 },
    onStatement: (text) => statements.push(text),
  }))
  // Words that occur once, and words that occur in every thousandth row.
  await sql`
    insert into users (id, email, name, email_verified, created_at, roles, banned, ban_expires)
    select 'user-' || lpad(n::text, 6, '0'), 'user.' || md5(n::text) || '@mail' || n % 1000 || '.example.com',
      'Person ' || initcap(md5('name' || n)), n % 2 = 0, timestamptz '2025-01-01' + n * interval '1 minute',
      case n % 1000 when 7 then '{admin}'::text[] when 8 then null else '{user}' end, nullif(n % 1000 = 9, false), null
    from generate_series(1, ${many}) as n
  `
  await sql`vacuum analyze users`
}, timeFor(many, 0.0005).timeout)
afterAll(() => close())

type Asked = Partial<Omit<UserQuery, 'page'>> & { readonly limit?: number; readonly offset?: number }
const query = ({ limit = 100, offset = 0, ...asked }: Asked): UserQuery => ({
  search: null,
  filter: null,
  sort: { field: 'createdAt', isDescending: false },
  ...asked,
  page: { limit, offset },
})
const list = (asked: Asked, on = sql) => listUsers(on, query(asked))

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** How the server executes a query: the indexes it uses, and whether it reads the whole table. */
async function planOf(asked: Asked): Promise<{ indexes: string[]; isWhole: boolean }> {
  const plans: Promise<Node>[] = []
  const explaining = new Proxy(sql, {
    apply: (_target, _self, [texts, ...parts]: [TemplateStringsArray, ...never[]]) => {
      const [first = '', ...others] = texts
      if (!first.includes('with chosen')) return sql(texts, ...parts)
      const explained = [`explain (format json) ${first}`, ...others]
      const answer = sql(Object.assign(explained, { raw: explained }) as TemplateStringsArray, ...parts)
      plans.push(answer.then(([row]) => (Object.values(row!)[0] as [{ Plan: Node }])[0].Plan))
      return answer
    },
  })
  await list(asked, explaining)
  return shown(await plans[0]!)
}

function shown(plan: Node): { indexes: string[]; isWhole: boolean } {
  const nodes = nodesOf(plan)
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    isWhole: nodes.some((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'users'),
  }
}

const search = (
  field: 'email' | 'name' | 'any',
  operator: 'contains' | 'starts_with' | 'ends_with',
  value: string,
) => ({
  search: { field, operator, value },
})
const by = (field: UserQuery['sort']['field'], isDescending = false) => ({ sort: { field, isDescending } })

describe(`of ${many} users`, () => {
  it.each<[string, Asked, string]>([
    ['what an address contains', search('email', 'contains', '@mail123.'), 'users_email_trigrams_idx'],
    ['how an address begins', search('email', 'starts_with', 'User.00f'), 'users_email_order_idx'],
    ['how an address ends', search('email', 'ends_with', '@mail123.example.com'), 'users_email_end_idx'],
    ['what a name contains', search('name', 'contains', 'abcd'), 'users_name_trigrams_idx'],
    ['how a name begins', search('name', 'starts_with', 'person 00f'), 'users_name_order_idx'],
    ['how a name ends', search('name', 'ends_with', '00ff'), 'users_name_end_idx'],
    ['what a name or an address contains', search('any', 'contains', 'abcd'), 'users_name_trigrams_idx'],
    ['an address', { filter: { field: 'email', operator: 'eq', value: 'A@example.com' } }, 'users_email_order_idx'],
    [
      'addresses from one on',
      { filter: { field: 'email', operator: 'gte', value: 'user.fff' } },
      'users_email_order_idx',
    ],
    ['a name', { filter: { field: 'name', operator: 'eq', value: 'Ann' } }, 'users_name_order_idx'],
    ['an id', { filter: { field: 'id', operator: 'eq', value: 'user-000001' } }, 'users_pkey'],
    ['a role', { filter: { field: 'roles', isAmong: true, values: ['admin'] } }, 'users_roles_idx'],
    ['roles', { filter: { field: 'roles', isAmong: true, values: ['admin', 'support'] } }, 'users_roles_idx'],
    [
      'addresses',
      { filter: { field: 'emails', isAmong: true, values: ['a@b.example', 'c'] } },
      'users_email_order_idx',
    ],
    ['who is banned', { filter: { field: 'banned', isEqual: true, value: true } }, 'users_banned_idx'],
    [
      'who came of late',
      { filter: { field: 'createdAt', operator: 'gt', value: new Date(Date.UTC(2025, 0, 1, 0, many - 600)) } },
      'users_created_at_idx',
    ],
  ])('%s are found by an index, and counted without reading the table', async (_what, asked, index) => {
    const { indexes, isWhole } = await planOf(asked)
    expect([indexes, isWhole]).toEqual([expect.arrayContaining([index]), false])
  })

  // Queries that count all users read all of them.
  it.each<[string, Asked, string]>([
    ['all by address', by('email'), 'users_email_order_idx'],
    ['all by name, from the end', by('name', true), 'users_name_order_idx'],
    ['all by age', by('createdAt', true), 'users_created_at_idx'],
    ['all by id', by('id'), 'users_pkey'],
    ['a late page', { ...by('name'), offset: many / 20 }, 'users_name_order_idx'],
  ])('%s are listed in the order of an index', async (_what, asked, index) => {
    expect((await planOf(asked)).indexes).toContain(index)
  })

  it.each<Asked>([
    search('email', 'starts_with', 'user.00ff'),
    search('name', 'ends_with', '00ff'),
    search('email', 'contains', '@mail7.'),
    search('name', 'contains', 'abcd'),
    search('any', 'contains', 'abcd'),
  ])('the plan that a server may keep for every value uses an index as well: %j', async (asked) => {
    statements.length = 0
    await list(asked)
    const text = statements.at(-1)!
    const highest = Math.max(...Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => Number(n)))
    await sql.unsafe(`set plan_cache_mode = force_generic_plan`).simple()
    await sql.unsafe(`prepare kept as ${text}`).simple()
    const [row] = await sql.unsafe(`explain (format json) execute kept(${Array(highest).fill('null').join()})`).simple()
    await sql.unsafe(`deallocate kept`).simple()
    await sql.unsafe(`reset plan_cache_mode`).simple()
    const { indexes, isWhole } = shown((Object.values(row!)[0] as [{ Plan: Node }])[0].Plan)
    expect([indexes.length > 0, isWhole]).toEqual([true, false])
  })

  it('every page together has each of them once', async () => {
    const seen = new Set<string>()
    const asked = { ...search('email', 'ends_with', '@mail1.example.com'), ...by('name') }
    const { total } = await list(asked)
    for (let offset = 0; offset < total; offset += 7)
      for (const { id } of (await list({ ...asked, limit: 7, offset })).users) seen.add(id)
    expect([total, seen.size]).toEqual([many / 1000, many / 1000])
  })

  it('counts beyond the last page too', async () => {
    expect(await list({ offset: many })).toEqual({ users: [], total: many })
  })

  it('finds what is not there by no index more slowly than what is', async () => {
    expect(await list(search('email', 'contains', 'nobody'))).toEqual({ users: [], total: 0 })
  })
})

describe('what is looked for', () => {
  beforeAll(async () => {
    await sql`
      insert into users (id, email, name) values
        ('odd-1', 'a%b@odd.example', 'Zoë 100%'), ('odd-2', 'a_b@odd.example', 'zoË \\ one'), ('odd-3', 'axb@odd.example', '😀 Smile')
    `
  })
  const ids = async (asked: Asked) => (await list({ ...asked, ...by('id') })).users.map(({ id }) => id)

  it.each<[UserQuery['search'] & object, string[]]>([
    [{ field: 'email', operator: 'starts_with', value: 'A%' }, ['odd-1']],
    [{ field: 'email', operator: 'starts_with', value: 'a_b' }, ['odd-2']],
    [{ field: 'email', operator: 'contains', value: '_b@odd' }, ['odd-2']],
    [{ field: 'email', operator: 'contains', value: '%b@odd' }, ['odd-1']],
    [{ field: 'email', operator: 'ends_with', value: '%b@odd.example' }, ['odd-1']],
    [{ field: 'email', operator: 'ends_with', value: 'ODD.example' }, ['odd-1', 'odd-2', 'odd-3']],
    [{ field: 'name', operator: 'starts_with', value: 'ZOË' }, ['odd-1', 'odd-2']],
    [{ field: 'name', operator: 'ends_with', value: '0%' }, ['odd-1']],
    [{ field: 'name', operator: 'contains', value: '\\' }, ['odd-2']],
    [{ field: 'name', operator: 'ends_with', value: '\\ ONE' }, ['odd-2']],
    [{ field: 'name', operator: 'ends_with', value: '😀 smile' }, ['odd-3']],
    [{ field: 'any', operator: 'contains', value: 'smile' }, ['odd-3']],
    [{ field: 'any', operator: 'starts_with', value: 'a_b' }, ['odd-2']],
    [{ field: 'any', operator: 'ends_with', value: '0%' }, ['odd-1']],
    [{ field: 'name', operator: 'contains', value: "' or true --" }, []],
  ])('%j is taken as it is written', async (asked, expected) => {
    expect(await ids({ search: asked })).toEqual(expected)
  })

  it('a role that nobody wrote down is that of a user', async () => {
    const has = (value: string, isAmong = true) => list({ filter: { field: 'roles', isAmong, values: [value] } })
    expect([(await has('admin')).total, (await has('user', false)).total]).toEqual([many / 1000, many / 1000])
    expect((await has('user')).total).toBe((await list({})).total - many / 1000)
    expect((await has('admin', false)).total).toBe((await has('user')).total)
  })

  it.each(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const)('%s compares', async (operator) => {
    const compare = { eq: 1, ne: many + 2, lt: 5, lte: 6, gt: many - 3, gte: many - 2 }
    await sql`update users set created_at = '2030-01-01' where id like 'odd-%'`
    const { total } = await list({
      filter: { field: 'createdAt', operator, value: new Date(Date.UTC(2025, 0, 1, 0, 6)) },
    })
    expect(total).toBe(compare[operator])
  })
})
