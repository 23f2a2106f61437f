import { beforeAll, expect, it, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { adminOf } from './admin.ts'
import { useOwnService, usePerson } from './use-service.ts'

// Five thousand members are listed page by page.
vi.setConfig({ testTimeout: 120_000 * slack })

const service = useOwnService({ MEMBERSHIP_LIMIT: '50' })
const ann = usePerson(service, 'Ann')
beforeAll(async () => {
  await ann('org create Acme --slug acme')
  await fill()
})

/** What there may be from before the limits: more of everything than an answer holds. */
async function fill(): Promise<void> {
  const { sql } = service.service.deps
  const [acme] = await sql<{ id: string; userId: string }[]>`select organization_id as id, user_id from members`
  const { id, userId } = acme!
  await sql`insert into users (id, name, email) select 'u' || n, 'Bob', n || '@example.com' from generate_series(1, 129) n`
  await sql`insert into members (id, organization_id, user_id) select id, ${id}, id from users where name = 'Bob'`
  await sql`insert into teams (id, organization_id, name) select 't' || n, ${id}, 'Team ' || n from generate_series(1, 129) n`
  await sql`
    insert into invitations (id, organization_id, email, roles, status, inviter_id, expires_at)
    select rpad(status || n, 32, 'x'), ${id}, status || n || '@example.com', '{member}', status, ${userId}, now() + interval '1 d'
    from generate_series(1, 130) n, unnest(array['pending', 'accepted']) status
  `
  await sql`
    insert into organizations (id, name, slug, metadata)
    select 'o' || n, 'Other', 'other-' || n, json_build_object('text', repeat('x', 15000)) from generate_series(1, 129) n
  `
  await sql`
    insert into members (id, organization_id, user_id, roles)
    select 'mine-' || n, 'o' || n, ${userId}, '{owner}' from generate_series(1, 129) n
  `
}

it.each([
  ['org list', 130],
  ['member list', 130],
  ['team list', 130],
  ['invitation list', 260],
  ['invitation list --status pending', 130],
  ['invitation list --status accepted', 130],
  ['invitation list --status canceled', 0],
])('%s shows all', async (command, total) => {
  const { json } = await ann(`${command} --json=id -O acme`)
  const { items, page } = json as unknown as { items: { id: string }[]; page: object }
  expect(page).toEqual({ total, next: null })
  expect(new Set(items.map(({ id }) => id)).size).toBe(total)
})

it.each([
  ['/organization/list-members?limit=30', '.members[].id', 130],
  ['/organization/list-teams?limit=30', '.[].id', 130],
  ['/organization/list-invitations?limit=50&status=pending', '.[].id', 130],
  ['/list-activity?event=sign-up,organization&limit=1', '.events[].id', 2],
])('api %s --paginate prints all, each once', async (path, program, total) => {
  const lines = async (...flags: readonly string[]) => {
    const { code, stdout } = await ann(['api', path, '--paginate', ...flags])
    expect(code).toBe(0)
    return stdout.trimEnd().split('\n')
  }
  const ids = await lines('--jq', program)
  expect([ids.length, new Set(ids).size]).toEqual([total, ids.length])
  expect(await lines('--ndjson', '--jq', '.id')).toEqual(ids)
})

it('an organization is seen and exported whole', async () => {
  const { json } = await ann('org view acme --json')
  const { members, invitations, teams, incomplete } = json as unknown as Record<string, unknown[]>
  expect([members?.length, invitations?.length, teams?.length, incomplete]).toEqual([130, 130, 130, undefined])
  const exported = (await ann('org export acme --json')).json as unknown as Record<string, unknown[]>
  expect(['members', 'invitations', 'teams'].map((name) => exported[name]?.length)).toEqual([130, 130, 130])
})

it.each(['other-129', 'o129'])('an organization far down the list is found: %s', async (word) => {
  expect((await ann(`org view ${word} --json=slug`)).json).toEqual({ slug: 'other-129' })
})

it.each(['accepted130@example.com', 'pending130'.padEnd(32, 'x')])(
  'an invitation far down the list is found: %s',
  async (word) => {
    const { code, json } = await ann(`invitation view ${word} --json=email,id -O acme`)
    expect([code, Object.values(json as object)]).toEqual([0, expect.arrayContaining([word])])
  },
)

it('a mail far down the list is found by the ending of its id', async () => {
  const { sql } = service.service.deps
  await sql`
    insert into outbox (id, kind, payload, parked_at)
    select lpad(n::text, 32, 'm'), 'x', '', now() from generate_series(1, 130) n
  `
  const ada = await adminOf(service)
  expect((await ada('admin mail list --all-pages --quiet')).stdout).toMatch(/mmm100\n$/)
  expect(await ada('admin mail resend mmm100')).toMatchObject({ code: 0 })
  await sql`delete from outbox`
})

it('an organization of five thousand members is exported whole', async () => {
  const { sql } = service.service.deps
  const big = await service.person('Big')
  await big('org create Big --slug big')
  await sql`insert into users (id, name, email) select 'v' || n, 'Cat', 'cat' || n || '@example.com' from generate_series(1, 4999) n`
  await sql`
    insert into members (id, organization_id, user_id)
    select u.id, o.id, u.id from users u, organizations o where u.name = 'Cat' and o.slug = 'big'
  `
  const exported = (await big('org export big --json=members')).json as { members: { email: string }[] }
  expect(new Set(exported.members.map(({ email }) => email)).size).toBe(5000)
})
