import type postgres from 'postgres'

export interface Size {
  readonly users: number
  /** The members of the largest organization. */
  readonly largest: number
}

/** Of everything else there is so much for each user, or for each organization. */
export const sessionsEach = 2
export const eventsEach = 10
export const membersEach = 10
const months = 13

type Sql = postgres.Sql

/** The token of a generated session, and the statement's text for the same. */
export const tokenOf = (session: number): string => `s${String(session).padStart(42, '0')}`
const tokenText = `'s' || lpad(n::text, 42, '0')`
export const emailOf = (user: number): string => `person-${user}@example.com`

/**
 * Fills an empty, migrated database: users with a password and two sessions each, ten to an organization, one
 * organization with many members, and ten events a user over thirteen months. Indexes are made after the rows, which
 * takes a third of the time.
 */
export async function fill(sql: Sql, { users, largest }: Size, passwordHash: string): Promise<void> {
  const organizations = Math.ceil(users / membersEach)
  const rows = (count: number) => sql`generate_series(1, ${count}::integer) n`
  await sql`set maintenance_work_mem = '512MB'`
  await withoutIndexes(sql, 'users', async () => {
    await sql`
      insert into users (id, email, name, email_verified, role, roles, created_at)
      select 'user-' || n, 'person-' || n || '@example.com', 'Person ' || initcap(md5(n::text)), true,
        r.role, array[r.role], now() - interval '400 days' * (1 - n / ${users}::float8)
      from ${rows(users)} cross join lateral (select case when n = 1 then 'admin' else 'user' end as role) r
    `
  })
  await sql`insert into user_count_changes (change) values (${users})`
  await withoutIndexes(sql, 'accounts', async () => {
    await sql`
      insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
      select 'account-' || n, 'user-' || n, 'credential', 'user-' || n, ${passwordHash}, 'link', now(), 'person-' || n || '@example.com'
      from ${rows(users)}
    `
  })
  await withoutIndexes(sql, 'organizations', async () => {
    await sql`
      insert into organizations (id, name, slug) select 'org-' || n, 'Organization ' || n, 'org-' || n from ${rows(organizations)}
    `
  })
  await withoutIndexes(sql, 'teams', async () => {
    await sql`insert into teams (id, organization_id, name) select 'team-' || n, 'org-' || n, 'Red' from ${rows(organizations)}`
  })
  // Organization 1 is the largest; the others have ten members each.
  await withoutIndexes(sql, 'members', async () => {
    await sql`
      insert into members (id, organization_id, user_id, team_id, team_ids, role, roles)
      select 'member-' || n, 'org-' || ceil(n / ${membersEach}::float8), 'user-' || n, r.team, array_remove(array[r.team], null),
        r.role, array[r.role]
      from ${rows(users)} cross join lateral (
        select case when n % ${membersEach} = 1 then 'owner' else 'member' end as role,
          case when n % 3 = 0 then 'team-' || ceil(n / ${membersEach}::float8) end as team
      ) r
    `
    await sql`
      insert into members (id, organization_id, user_id, role, roles)
      select 'large-' || n, 'org-1', 'user-' || n, 'member', '{member}' from ${rows(largest)} where n > ${membersEach}
    `
  })
  await withoutIndexes(sql, 'team_members', async () => {
    await sql`
      insert into team_members (team_id, user_id, organization_id)
      select team_ids[1], user_id, organization_id from members where team_ids <> '{}'
    `
  })
  await withoutIndexes(sql, 'sessions', async () => {
    await sql.unsafe(
      `insert into sessions (id, user_id, token_hash, expires_at, ip_address, user_agent, active_organization_id, account_id, proven_email)
       select 'session-' || n, 'user-' || 1 + (n - 1) % ${users}, sha256((${tokenText})::bytea),
         now() + interval '3 days' + (n % 90) * interval '1 hour', '10.0.0.1', 'bench',
         'org-' || ceil((1 + (n - 1) % ${users}) / ${membersEach}::float8),
         'account-' || 1 + (n - 1) % ${users}, 'person-' || 1 + (n - 1) % ${users} || '@example.com'
       from generate_series(1, ${users * sessionsEach}) n`,
    )
  })
  await withoutIndexes(sql, 'invitations', async () => {
    await sql`
      insert into invitations (id, organization_id, email, role, roles, inviter_id, expires_at)
      select 'invitation-' || n, 'org-' || ceil(n / 3.0), 'guest-' || n || '@example.com', 'member', '{member}',
        'user-' || (ceil(n / 3.0) - 1) * ${membersEach} + 1, now() + interval '20 days'
      from ${rows(organizations * 3)}
    `
  })
  await fillTrail(sql, users)
}

/** Month by month, as time makes them. */
async function fillTrail(sql: Sql, users: number): Promise<void> {
  const each = Math.ceil((users * eventsEach) / months)
  for (let ago = months - 1; ago >= 0; ago -= 1) {
    await withoutIndexes(sql, 'audit_events', async () => {
      await sql`
        insert into audit_events (id, event, actor_id, user_id, organization_id, request_id, ip_address, created_at)
        select ${`event-${ago}-`} || n, (array['sign-in-done', 'sign-in-failed', 'team-created', 'member-added', 'organization-updated'])[1 + n % 5],
          'user-' || w.person, 'user-' || w.person, case when n % 3 > 0 then 'org-' || ceil(w.person / ${membersEach}::float8) end, 'request', '10.0.0.1',
          w.began + (n - 1) * (w.ended - w.began) / ${each}::integer
        from generate_series(1, ${each}::integer) n
        cross join lateral (
          select 1 + (n::bigint * 7919 + ${ago}) % ${users} as person, m.began, least(m.began + interval '1 month', now()) as ended
          from (select date_trunc('month', now(), 'UTC') - make_interval(months => ${ago}) as began) m
        ) w
      `
    })
    await sql`select close_audit_month()`
  }
}

/** Rows whose time came, in equal parts of each kind that is swept. */
export async function fillExpired(sql: Sql, count: number, users: number): Promise<void> {
  const each = Math.ceil(count / 4)
  const rows = sql`generate_series(1, ${each}::integer) n`
  const then = sql`now() - interval '1 day'`
  await sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select 'old-' || n, 'user-' || 1 + n % ${users}, sha256(('old' || n)::bytea), ${then} from ${rows}
  `
  await sql`
    insert into verifications (id, identifier, value, expires_at) select 'old-' || n, 'old-' || n, '', ${then} from ${rows}
  `
  await sql`insert into rate_limits (key, count, expires_at) select sha256(('old' || n)::bytea), 1, ${then} from ${rows}`
  await sql`
    insert into device_requests (id, device_code_hash, user_code_mac, client_id, ip_address, user_agent, expires_at)
    select 'old-' || n, sha256(('old' || n)::bytea), sha256(('old' || n)::bytea), 'x', '', '', ${then} from ${rows}
  `
}

/** Indexes of constraints stay: others refer to them. Triggers and foreign keys are off. */
async function withoutIndexes(sql: Sql, table: string, work: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ name: string; text: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text from pg_index i
    where i.indrelid = ${table}::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  `
  const at = performance.now()
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  await sql`set session_replication_role = replica`
  await work()
  await sql`set session_replication_role = origin`
  for (const { text } of indexes) await sql.unsafe(text)
  await sql.unsafe(`vacuum analyze ${table}`)
  process.stdout.write(`  ${table}: ${((performance.now() - at) / 1000).toFixed(1)} s\n`)
}
