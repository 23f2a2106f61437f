import { connect } from '../../db/connect.ts'
import type { Crowd, Person } from './crowd.ts'

/** What was acknowledged and is not there, or is there and was refused. Empty when all is well. */
export async function findLost(database: string, crowd: Crowd, people: readonly Person[]): Promise<readonly string[]> {
  const sql = connect(database, { connections: 1, prepare: true })
  try {
    const signIns = await sql<{ email: string; events: number }[]>`
      select u.email, (
        select coalesce(sum(a.count), 0)::integer from audit_events a where a.user_id = u.id and a.event = 'sign-in-done'
      ) as events
      from users u
    `
    const organizations = await sql<{ slug: string; owner: string; events: number }[]>`
      select o.slug, u.email as owner, (
        select count(*)::integer from audit_events a where a.organization_id = o.id and a.event = 'organization-created'
      ) as events
      from organizations o
      join members m on m.organization_id = o.id
      join users u on u.id = m.user_id
    `
    return [...lostSignIns(people, signIns), ...lostOrganizations(crowd, organizations)]
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Each acknowledged sign-in has one event, and each event an answer, but for those that got none. */
function lostSignIns(people: readonly Person[], rows: readonly { email: string; events: number }[]): readonly string[] {
  const kept = new Map(rows.map(({ email, events }) => [email, events]))
  return people.flatMap(({ email, signIns: { done, unknown } }) => {
    const events = kept.get(email) ?? -1
    return events >= done && events <= done + unknown
      ? []
      : [`${email} was signed in ${done} times (${unknown} unknown), the trail has ${events}`]
  })
}

function lostOrganizations(
  { owners, unknownSlugs }: Crowd,
  rows: readonly { slug: string; owner: string; events: number }[],
): readonly string[] {
  const kept = new Map(rows.map((row) => [row.slug, row]))
  const lost = Array.from(owners).flatMap(([slug, owner]) => {
    const row = kept.get(slug)
    return row?.owner === owner && row.events === 1 ? [] : [`organization ${slug} of ${owner}: ${JSON.stringify(row)}`]
  })
  const denied = rows
    .filter(({ slug }) => !owners.has(slug) && !unknownSlugs.has(slug))
    .map(({ slug }) => `organization ${slug} is there, and its creation was refused`)
  return [...lost, ...denied]
}
