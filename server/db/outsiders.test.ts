import { beforeAll, expect, it } from 'vitest'
import { organizationKey } from '../testing/machines.ts'
import { found } from '../testing/organizations.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import { type AuditReader, followAuditEvents, listAuditEvents } from './audit-list.ts'
import type { Sql } from './connect.ts'
import { listInvitations } from './invitations.ts'
import { listKeys } from './machine-keys.ts'
import { listMembers } from './member-list.ts'
import type { OrganizationReader } from './organization-actors.ts'
import { type Send, statementTag } from './statement.ts'
import { listTeamMembers, listTeams, listTeamsOf } from './teams.ts'
import { listRules } from './trust-rules.ts'

const many = 10_000
const page = { limit: 100, offset: 0 }
const everybody = { search: null, role: null, filter: null, sort: { field: 'createdAt', isDescending: false } } as const
const filter = { events: null, userId: null, actorId: null, organizationId: null, since: null, until: null }

const service = useTestService({ KEY_ISSUERS: 'https://issuer.example.com' })
const acme = useMade(() => found(service))
beforeAll(async () => {
  await organizationKey(acme)
  await acme.owner.post('/trust/create', {
    organizationId: acme.id,
    name: 'deploy',
    role: 'member',
    issuer: 'https://issuer.example.com',
    claims: { sub: 'deploy' },
  })
  await grow()
})

async function grow(): Promise<void> {
  const { sql } = service.deps
  const { id, teamId, owner } = acme
  await sql`
    insert into users (id, name, email) select 'u' || n, 'x', n || '@many.example.com' from generate_series(1, ${many}::integer) n
  `
  await sql`
    insert into members (id, organization_id, user_id, roles, team_id)
    select 'm' || n, ${id}, 'u' || n, '{member}', ${teamId} from generate_series(1, ${many}::integer) n
  `
  await sql`
    insert into teams (id, organization_id, name) select 't' || n, ${id}, 'x' from generate_series(1, ${many}::integer) n
  `
  await sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    select 'i' || n, ${id}, n || '@invited.example.com', '{member}', ${owner.userId}, now() + interval '1 day'
    from generate_series(1, ${many}::integer) n
  `
  await sql`
    insert into audit_events (id, event, request_id, organization_id)
    select 'e' || n, 'team-created', 'r', ${id} from generate_series(1, ${many}::integer) n
  `
  await sql`analyze`
}

interface Node {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Node[]
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The rows that a list reads of tables, as the server measured it. Memberships are one row at the most. */
async function rowsReadBy(list: (sql: Sql) => Promise<unknown>): Promise<number> {
  let rows = 0
  const measure = async (statement: Parameters<Send>[0]) => {
    const [found] = await service.deps.sql`explain (analyze, format json) ${statement as never}`
    const [{ Plan: plan }] = Object.values(found!)[0] as [{ Plan: Node }]
    for (const node of nodesOf(plan)) if (node['Relation Name']) rows += node['Actual Rows'] * node['Actual Loops']
    return []
  }
  const tag = Object.assign(statementTag(measure), { distrust: () => new Error('no rows') })
  await list(tag as unknown as Sql).catch(() => undefined)
  return rows
}

const activity = ({ userId, organizationId }: OrganizationReader): AuditReader => ({
  kind: 'organization',
  userId,
  organizationId,
})
const since = { copy: 'x', seen: '3:3:', part: null }

const lists: Record<string, (sql: Sql, reader: OrganizationReader) => Promise<unknown>> = {
  members: (sql, reader) => listMembers(sql, reader, { ...page, ...everybody }),
  'searched members': (sql, reader) =>
    listMembers(sql, reader, { ...page, ...everybody, search: 'example', role: 'member' }),
  invitations: (sql, reader) => listInvitations(sql, reader, 'all', page),
  teams: (sql, reader) => listTeams(sql, reader, page),
  'teams of a member': (sql, reader) => listTeamsOf(sql, acme.owner.userId, reader, page),
  'members of a team': (sql, { userId }) => listTeamMembers(sql, acme.teamId ?? '', userId, page),
  keys: (sql, of) => listKeys(sql, { of }, page),
  'trust rules': (sql, reader) => listRules(sql, reader, page),
  activity: (sql, reader) => listAuditEvents(sql, { reader: activity(reader), filter, limit: 100 }, null),
  'later activity': (sql, reader) => followAuditEvents(sql, { reader: activity(reader), filter, limit: 100 }, since),
}

it.each(Object.entries(lists))('the %s of a large organization cost an outsider nothing', async (_what, list) => {
  const outsider = { organizationId: acme.id, userId: 'outsider' }
  const member = { organizationId: acme.id, userId: acme.owner.userId }
  const [read, own] = [await rowsReadBy((sql) => list(sql, outsider)), await rowsReadBy((sql) => list(sql, member))]
  // The one row that every list of events answers with, and the team whose organization is looked up.
  expect(read).toBeLessThanOrEqual(2)
  expect(own).toBeGreaterThan(read)
})
