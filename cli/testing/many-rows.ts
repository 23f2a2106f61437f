import type { Sql } from '../../server/db/connect.ts'

/** So many users and events, all of yesterday and before, the newest with the highest numbers. */
export async function fillMany(sql: Sql, users: number, events: number): Promise<void> {
  await sql`
    insert into users (id, email, name, created_at)
    select 'many-' || n, 'many' || n || '@example.com', 'Many ' || n,
      now() - interval '1 day' - (${users}::integer - n) * interval '1 second'
    from generate_series(1, ${users}::integer) n
  `
  await sql`
    insert into audit_events (id, event, request_id, details, created_at)
    select 'many-' || n, case when n % 50 = 0 then 'user-banned' else 'session-revoked' end, 'request-' || n,
      jsonb_build_object('number', n), now() - interval '1 day' - (${events}::integer - n) * interval '1 second'
    from generate_series(1, ${events}::integer) n
  `
}

/** Makes all those users members of the only organization. */
export const joinMany = (sql: Sql): Promise<unknown> => sql`
  insert into members (id, organization_id, user_id, roles)
  select u.id, o.id, u.id, '{member}' from users u, organizations o where u.id like 'many-%'
`
