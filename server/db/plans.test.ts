import { beforeAll, expect, it } from 'vitest'
import { sweep } from '../process/sweeper.ts'
import { adminOf } from '../testing/admins.ts'
import { allAnswers } from '../testing/all-answers.ts'
import { startOpenIdProvider } from '../testing/openid-provider.ts'
import { found } from '../testing/organizations.ts'
import { useStarted, useTestService } from '../testing/use-service.ts'
import { claimMail, listMails, outboxDepth, parkMail, postponeMail } from './outbox.ts'

/** Tables that do not grow with use, or are kept short by the sweep. All others grow, new ones included. */
const small = [
  'migrations',
  'signing_keys',
  'database_copies',
  'sweep_turns',
  'user_count_changes',
  'erasures',
  'pg_inherits',
]

/** How tests hold all mails. */
const holdingMails = 'update outbox set parked_at = now(), held_at'

/** Totals of what nearly everybody matches read nearly everybody: no index counts for less. */
const isBroadTotal = (text: string): boolean =>
  /counted as \(select count.*(email_verified|is not true|is null\)|<>)/.test(text)

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Node[]
}

/** What the service says to its database, each text once. */
let texts: readonly string[]
const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GITHUB'), ...provider.settings('GOOGLE') }))
beforeAll(async () => {
  await tellLastMonth()
  service.statements.forget()
  await sweep(service.deps, { share: 1 })
  await askAll()
  texts = [...new Set(service.statements.list)].filter(
    (text) => /^(with|select|insert|update|delete)\b/.test(text) && !text.startsWith(holdingMails),
  )
  await grow()
})

/** So that the trail has a table besides that of the current month. */
const tellLastMonth = () => service.deps.sql`
  insert into audit_events (id, event, request_id, created_at)
  select 'old-' || n, 'team-created', 'r', now() - interval '40 days' from generate_series(1, 50) n
`

/** Has every call answered and refused, asks every list in every way, and does what no call does. */
async function askAll(): Promise<void> {
  const [one, other] = [() => service, () => provider]
  for (const answer of Object.values(allAnswers(one, other))) await answer()
  // What is refused reads nothing, so its plan would not be looked at.
  for (const ask of await lists()) expect(await ask()).toMatchObject({ status: 200 })
  const { sql } = service.deps
  await claimMail(sql, 60)
  await listMails(sql)
  await outboxDepth(sql)
  await postponeMail(sql, { id: 'x', attempts: 1, reason: 'x' }, 1)
  await parkMail(sql, { id: 'x', attempts: 1, reason: 'x' })
}

const product = (...parts: readonly (readonly string[])[]): readonly string[] =>
  parts.reduce((all, part) => all.flatMap((one) => part.map((next) => `${one}&${next}`)), [''])

async function lists() {
  const admin = await adminOf(service)
  const acme = await found(service)
  const users = [
    ...product(
      ['searchField=email', 'searchField=name'],
      ['contains', 'starts_with', 'ends_with'].map((operator) => `searchOperator=${operator}&searchValue=abc`),
      ['id', 'email', 'name', 'createdAt'].map((field) => `sortBy=${field}`),
    ),
    ...product(
      ['id', 'email', 'name'].map((field) => `filterField=${field}&filterValue=abc`),
      ['eq', 'lt', 'gte'].map((operator) => `filterOperator=${operator}`),
    ),
    '&filterField=createdAt&filterOperator=gt&filterValue=2026-01-01',
    '&filterField=role&filterValue=admin',
    '&filterField=role&filterOperator=in&filterValue=admin,support',
    '&filterField=id&filterOperator=in&filterValue=a,b',
    '&filterField=email&filterOperator=in&filterValue=a@b.example,c@b.example',
    ...product(
      [
        '&filterField=role&filterValue=user',
        '&filterField=banned&filterValue=true',
        '&filterField=emailVerified&filterValue=true',
      ],
      ['eq', 'ne'].map((operator) => `filterOperator=${operator}`),
    ),
    '&filterField=isMachine&filterValue=true',
    '&filterField=id&filterOperator=ends_with&filterValue=abc',
  ]
  const { latest } = (await admin.get('/admin/list-audit-events?limit=1')).body as { latest: string }
  const people = ['', 'userId=u', 'actorId=u', 'organizationId=o', 'userId=u&actorId=u&organizationId=o']
  const times = ['', 'since=2026-01-01T00:00:00Z', 'until=2026-01-01T00:00:00Z', `after=${latest}`]
  const trail = product(people, ['', 'event=sign-in'], times)
  const ownTrail = trail.filter((query) => !query.includes('organizationId'))
  const members = product([
    'search=ann',
    'role=member',
    'search=ann&role=member',
    'filterField=lastSeenAt&filterOperator=lt&filterValue=2026-01-01',
  ])
  return [
    ...members.map((query) => () => acme.owner.get(`/organization/list-members?limit=10${query}`)),
    ...users.map((query) => () => admin.get(`/admin/list-users?limit=10${query}`)),
    ...trail.map((query) => () => admin.get(`/admin/list-audit-events?limit=10${query}`)),
    ...trail.map((query) => () => acme.owner.get(`/list-activity?limit=10${query}`)),
    ...ownTrail.map((query) => () => acme.owner.get(`/organization/list-activity?limit=10${query}`)),
  ]
}

/** Makes the server believe in a million rows of each growing table, spread as those that there are. */
async function grow(): Promise<void> {
  const { sql } = service.deps
  await sql`insert into rate_limits (key, count, expires_at) values ('x', 1, now())`
  await sql`insert into ended_imports (token_hash) values ('x')`
  await sql`analyze`
  await sql`
    update pg_class set reltuples = 1000000, relpages = greatest(1, pg_relation_size(oid) / 8192)
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> all(${small})
  `
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The growing tables that a statement reads from end to end, by the plan that is kept for all its values. */
async function wholeTablesOf(text: string): Promise<readonly string[]> {
  const { sql } = service.deps
  const highest = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => Number(n)))
  const values = highest === 0 ? '' : `(${Array(highest).fill('null').join()})`
  const [row] = await sql.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`
    await tx.unsafe(`prepare kept as ${text}`).simple()
    const found = await tx.unsafe(`explain (format json) execute kept${values}`).simple()
    await tx`deallocate kept`
    return found
  })
  const [{ Plan: plan }] = Object.values(row!)[0] as [{ Plan: Node }]
  return nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((table) => !small.includes(table))
}

it('reads no growing table from end to end, whatever the service asks', async () => {
  const found: string[] = []
  for (const text of texts)
    for (const table of await wholeTablesOf(text)) if (!isBroadTotal(text)) found.push(`${table}: ${text}`)
  expect(found).toEqual([])
  expect(texts.length).toBeGreaterThan(200)
})

it('finds a statement without an index', async () => {
  const texts = [
    'select id from users where image = $1',
    'select id from audit_events where request_id = $1',
    'update sessions set label = $1 where ip_address = $2',
  ]
  expect(await Promise.all(texts.map(wholeTablesOf))).toEqual([
    ['users'],
    expect.arrayContaining(['audit_events', expect.stringMatching(/^audit_events_\d{4}_\d\d$/)]),
    ['sessions'],
  ])
})

// PostgreSQL plans a function in SQL anew in each statement that calls it, up to version 17.
it('no default of a column calls a function that is planned each time', async () => {
  const called = await service.deps.sql`
    select distinct p.proname as name from pg_depend d
    join pg_proc p on p.oid = d.refobjid and d.refclassid = 'pg_proc'::regclass
    join pg_language l on l.oid = p.prolang
    where d.classid = 'pg_attrdef'::regclass and l.lanname = 'sql'
  `
  expect([...called]).toEqual([])
})
