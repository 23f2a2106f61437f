import type { PersonLists } from '../../shared/person-data.ts'
import { inOneTrip, type Sql } from './connect.ts'
import { mailColumns, type SealedRow } from './supported-user.ts'

/** The lists with sealed mails. */
export type StoredPersonLists = Omit<PersonLists, 'mails'> & { readonly mails: readonly SealedRow[] }

interface Asked {
  readonly id: string
  /** Whose invitations are theirs. Null for a person who did not prove their address. */
  readonly mailbox: string | null
  /** Whether the person asks. They do not see the addresses of administrators who impersonated them. */
  readonly isOwn: boolean
  /** The most rows of each list. */
  readonly most: number
}

type Row<L extends keyof PersonLists> = PersonLists[L][number]
type Read<L extends keyof StoredPersonLists> = (one: Sql, asked: Asked) => PromiseLike<StoredPersonLists[L]>

const newest = (one: Sql, most: number) => one`order by created_at desc limit ${most}`
const invited = (one: Sql) => one`
  i.organization_id, o.name as organization_name, i.email, i.roles as role, i.status, i.created_at, i.expires_at
  from invitations i join organizations o on o.id = i.organization_id
`

const reads: { readonly [L in keyof StoredPersonLists]: Read<L> } = {
  storedFields: (one, { id, isOwn, most }) => one<Row<'storedFields'>[]>`
    select f.key as name, f.value from users u, jsonb_each(u.fields) f
    where u.id = ${id} and not ${isOwn} order by f.key limit ${most}`,
  accounts: (one, { id, most }) => one<Row<'accounts'>[]>`
    select id, provider_id, account_id, scope, proven_email, created_at, updated_at
    from accounts where user_id = ${id} ${newest(one, most)}`,
  sessions: (one, { id, isOwn, most }) => one<Row<'sessions'>[]>`
    select id, user_id, expires_at, created_at, updated_at, ip_address, user_agent, label, impersonated_by
    from sessions where user_id = ${id} ${isOwn ? one`and impersonated_by is null` : one``} ${newest(one, most)}`,
  memberships: (one, { id, most }) => one<Row<'memberships'>[]>`
    select m.organization_id, o.name as organization_name, m.roles as role, m.team_ids, m.created_at
    from members m join organizations o on o.id = m.organization_id
    where m.user_id = ${id} order by m.created_at desc limit ${most}`,
  invitationsTo: (one, { mailbox, most }) => one<Row<'invitationsTo'>[]>`
    select ${invited(one)} where i.email = ${mailbox} order by i.created_at desc limit ${most}`,
  invitationsFrom: (one, { id, most }) => one<Row<'invitationsFrom'>[]>`
    select ${invited(one)} where i.inviter_id = ${id} order by i.created_at desc limit ${most}`,
  keys: (one, { id, most }) => one<Row<'keys'>[]>`
    select id, name, scopes, ip_ranges, created_at, expires_at, last_used_at, last_used_ip
    from machine_keys where user_id = ${id} ${newest(one, most)}`,
  machines: (one, { id, most }) => one<Row<'machines'>[]>`
    select u.id, u.name, o.id as organization_id, o.name as organization_name, u.created_at
    from members m join organizations o on o.id = m.organization_id
      cross join lateral (
        select user_id from machine_keys where organization_id = o.id
        union select user_id from trust_rules where organization_id = o.id
      ) machine
      join users u on u.id = machine.user_id and u.sponsor_id = m.user_id
    where m.user_id = ${id} order by u.created_at desc limit ${most}`,
  secondFactors: (one, { id, most }) => one<Row<'secondFactors'>[]>`
    select id, created_at from imported_two_factors where user_id = ${id} ${newest(one, most)}`,
  mails: (one, { id, most }) => one<SealedRow[]>`
    select ${mailColumns(one)} from outbox o where o.user_id = ${id} order by o.created_at desc limit ${most}`,
  // Whoever left the organization knows the receiver, but not what else stands in the address now.
  webhooks: (one, { id, most }) => one<Row<'webhooks'>[]>`
    select id, organization_id, substring(url from '//([^/?#]+)') as host, created_at
    from webhooks where created_by = ${id} ${newest(one, most)}`,
  deviceRequests: (one, { id, most }) => one<Row<'deviceRequests'>[]>`
    select label, ip_address, user_agent, created_at
    from device_requests where ${id} in (user_id, linker_id) ${newest(one, most)}`,
}

/** Reads in one trip what is kept of a person, each list newest first. */
export async function readPersonData(sql: Sql, asked: Asked): Promise<StoredPersonLists> {
  const works = Object.values(reads).map((read) => (one: Sql) => read(one, asked))
  const lists = await inOneTrip<readonly unknown[]>(sql, ...works)
  return Object.fromEntries(Object.keys(reads).map((name, at) => [name, lists[at]])) as unknown as StoredPersonLists
}
