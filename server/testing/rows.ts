import type { TestService } from './service.ts'

/** Lets time pass for the sessions of a user: all that a session remembers moves into the past. Seconds. */
export async function ageSessions({ deps: { sql } }: TestService, email: string, seconds: number): Promise<void> {
  const past = sql`make_interval(secs => ${seconds})`
  await sql`
    update sessions set
      created_at = created_at - ${past}, updated_at = updated_at - ${past},
      authenticated_at = authenticated_at - ${past}, expires_at = expires_at - ${past}
    where user_id = (select id from users where email = ${email})
  `
}

/** Somebody of this name, which is also their id, who joined an organization 90 days ago and left no trace since. */
export async function joinLongAgo({ deps: { sql } }: TestService, organizationId: string, name: string): Promise<void> {
  await sql`insert into users (id, name, email) values (${name}, ${name}, ${`${name}@example.com`})`
  await sql`
    insert into members (id, organization_id, user_id, created_at)
    values (${name}, ${organizationId}, ${name}, now() - interval '90 days')
  `
}

/** How many sessions a user has, over ones included. */
export async function countSessions({ deps: { sql } }: TestService, email: string): Promise<number> {
  const rows = await sql`select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email}`
  return rows.length
}

/** Rows of all tables but the counters, to prove that a refused request wrote nothing. */
export async function countRows({ deps: { sql } }: TestService): Promise<unknown> {
  const [counts] = await sql`
    select (select count(*) from users) as users, (select count(*) from accounts) as accounts,
      (select count(*) from sessions) as sessions, (select count(*) from verifications) as verifications,
      (select count(*) from outbox) as outbox, (select count(*) from organizations) as organizations,
      (select count(*) from members) as members, (select count(*) from invitations) as invitations,
      (select count(*) from teams) as teams, (select count(*) from device_requests) as device_requests
  `
  return { ...counts }
}

/** The names of what an answer holds, at every depth; of a list, those of its first item. */
export function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? [keysOf(value[0])] : []
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
}

/** The audit trail, which outlives what it tells of. */
export const trail = 'audit_events'

/** What is kept with it, for events that come late. */
const withTrail = 'erasures'

/** Every row of every table but one as text, to compare and to search. */
export async function dumpTables({ deps: { sql } }: Pick<TestService, 'deps'>, but = ''): Promise<string> {
  const left = but === trail ? [trail, withTrail] : [but]
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name <> all(${left}) order by 1
  `
  const dumps = await Promise.all(tables.map(({ name }) => sql`select t::text as row from ${sql(name)} t order by 1`))
  return dumps.map((rows, index) => [tables[index]?.name, ...rows.map(({ row }) => row)].join('\n')).join('\n')
}

const kept = [
  'users',
  'accounts',
  'organizations',
  'teams',
  'members',
  'invitations',
  'sessions',
  'machine_keys',
  'machine_key_secrets',
  'trust_rules',
] as const

/** Remembers who there is and what is theirs; the answer puts it all back, and takes away what came since. */
export async function keepRows({ deps: { sql } }: Pick<TestService, 'deps'>): Promise<() => Promise<void>> {
  const copies = kept.map((table) => [table, `kept_${crypto.randomUUID().slice(0, 8)}_${table}`] as const)
  for (const [table, copy] of copies) await sql`create table ${sql(copy)} as table ${sql(table)}`
  const inserts = copies.map(
    ([table, copy]) => sql`${sql(`back_${table}`)} as (insert into ${sql(table)} table ${sql(copy)})`,
  )
  return async () => {
    await sql`with closed as (delete from organizations), devices as (delete from device_requests) delete from users`
    await sql`with ${inserts.reduce((steps, insert) => sql`${steps}, ${insert}`)} select`
  }
}
