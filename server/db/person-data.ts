import type { PersonLists } from '../../shared/person-data.ts'
import { inOneTrip, type Sql } from './connect.ts'
import { mailColumns, type SealedRow } from './supported-user.ts'

type Row<L extends keyof PersonLists> = PersonLists[L][number]

/** The lists with sealed mails. */
export type StoredPersonLists = Omit<PersonLists, 'mails'> & { readonly mails: readonly SealedRow[] }

interface Asked {
  readonly id: string
  readonly email: string
  /** The most rows of each list. */
  readonly most: number
}

/** Reads in one trip what is kept of a person, each list newest first. */
export async function readPersonData(sql: Sql, asked: Asked): Promise<StoredPersonLists> {
  const { id, email, most } = asked
  const newest = (one: Sql) => one`order by created_at desc limit ${most}`
  const invited = (one: Sql) => one`
    i.organization_id, o.name as organization_name, i.email, i.roles as role, i.status, i.created_at, i.expires_at
    from invitations i join organizations o on o.id = i.organization_id
  `
  const [accounts, sessions, memberships, invitationsTo, invitationsFrom, keys, mails, webhooks, deviceRequests] =
    await inOneTrip(
      sql,
      (one) => one<Row<'accounts'>[]>`
        select id, provider_id, account_id, scope, proven_email, created_at, updated_at
        from accounts where user_id = ${id} ${newest(one)}`,
      (one) => one<Row<'sessions'>[]>`
        select id, user_id, expires_at, created_at, updated_at, ip_address, user_agent, label, impersonated_by
        from sessions where user_id = ${id} ${newest(one)}`,
      (one) => one<Row<'memberships'>[]>`
        select m.organization_id, o.name as organization_name, m.roles as role, m.team_ids, m.created_at
        from members m join organizations o on o.id = m.organization_id
        where m.user_id = ${id} order by m.created_at desc limit ${most}`,
      (one) => one<Row<'invitationsTo'>[]>`
        select ${invited(one)} where i.email = ${email} order by i.created_at desc limit ${most}`,
      (one) => one<Row<'invitationsFrom'>[]>`
        select ${invited(one)} where i.inviter_id = ${id} order by i.created_at desc limit ${most}`,
      (one) => one<Row<'keys'>[]>`
        select id, name, scopes, ip_ranges, created_at, expires_at, last_used_at, last_used_ip
        from machine_keys where user_id = ${id} ${newest(one)}`,
      (one) => one<SealedRow[]>`
        select ${mailColumns(one)} from outbox o where o.user_id = ${id} order by o.created_at desc limit ${most}`,
      (one) => one<Row<'webhooks'>[]>`
        select id, organization_id, url, created_at from webhooks where created_by = ${id} ${newest(one)}`,
      (one) => one<Row<'deviceRequests'>[]>`
        select label, ip_address, user_agent, created_at
        from device_requests where ${id} in (user_id, linker_id) ${newest(one)}`,
    )
  return {
    accounts,
    sessions,
    memberships,
    invitationsTo,
    invitationsFrom,
    keys,
    mails,
    webhooks,
    deviceRequests,
  }
}
