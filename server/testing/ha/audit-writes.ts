import type { Sql } from '../../db/connect.ts'
import type { MailServer } from '../smtp.ts'
import type { Kind, Write } from './workload.ts'

/** What is wrong with what was kept; each list has to be empty. */
export interface Findings {
  /** Acknowledged, and not there. */
  readonly lost: readonly Write[]
  /** There, though the service had said that nothing was done. */
  readonly denied: readonly Write[]
  /** Things without exactly one row in the trail, or rows of the trail without a thing. */
  readonly trail: readonly unknown[]
  /** Stored invitations without a mail, and mails without a stored invitation. */
  readonly unsent: readonly string[]
  readonly stray: readonly string[]
  /** Mails that came again with another Message-ID: not the same mail sent twice. */
  readonly different: readonly string[]
}

/** Compares all that was told to clients with the database, the trail and the mailboxes. */
export async function findFaults(sql: Sql, writes: readonly Write[], mails: MailServer['mails']): Promise<Findings> {
  const kept = await readKept(sql)
  const isKept = ({ kind, key }: Write) => kept[kind].has(key)
  const events = writes.filter(({ kind }) => kind !== 'name')
  return {
    lost: [...events.filter((write) => write.known === 'done' && !isKept(write)), ...lostNames(writes, kept.name)],
    denied: writes.filter((write) => write.known === 'not done' && isKept(write)),
    trail: await findTrailFaults(sql),
    ...compareMails(kept.invitation, mails),
  }
}

const setOf = (rows: readonly { key: string }[]): ReadonlySet<string> => new Set(rows.map(({ key }) => key))

async function readKept(sql: Sql): Promise<Readonly<Record<Kind, ReadonlySet<string>>>> {
  return {
    'sign-up': setOf(await sql<{ key: string }[]>`select email as key from users`),
    organization: setOf(await sql<{ key: string }[]>`select slug as key from organizations`),
    invitation: setOf(await sql<{ key: string }[]>`select email as key from invitations`),
    name: setOf(await sql<{ key: string }[]>`select name as key from users`),
  }
}

/** Only the last name of a person is kept: the last acknowledged one, or one after it of which nobody knows. */
function lostNames(writes: readonly Write[], kept: ReadonlySet<string>): Write[] {
  const byPerson = new Map<string, Write[]>()
  for (const write of writes)
    if (write.kind === 'name') byPerson.set(write.by, [...(byPerson.get(write.by) ?? []), write])
  return [...byPerson.values()].flatMap((names) => {
    const last = names.findLastIndex(({ known }) => known === 'done')
    const isKept = names.slice(last).some(({ key, known }) => known !== 'not done' && kept.has(key))
    return last === -1 || isKept ? [] : [names[last]!]
  })
}

/** Each act has one row: of each thing the trail tells as often as it is there. */
const findTrailFaults = async (sql: Sql): Promise<unknown[]> => [
  ...(await sql`
    select 'sign-up-done' as event, coalesce(u.id, a.user_id) as id, count(a.id) as rows
    from users u
    full join (select id, user_id from audit_events where event = 'sign-up-done') a on a.user_id = u.id
    group by u.id, a.user_id
    having count(a.id) <> 1 or u.id is null
  `),
  ...(await sql`
    select 'organization-created' as event, coalesce(o.id, a.organization_id) as id, count(a.id) as rows
    from organizations o
    full join (select id, organization_id from audit_events where event = 'organization-created') a
      on a.organization_id = o.id
    group by o.id, a.organization_id
    having count(a.id) <> 1 or o.id is null
  `),
  ...(await sql`
    select 'invitation-sent' as event, coalesce(i.organization_id, a.organization_id) as id, i.rows, a.rows as told
    from (select organization_id, count(*) as rows from invitations group by organization_id) i
    full join (
      select organization_id, sum(count) as rows from audit_events where event = 'invitation-sent'
      group by organization_id
    ) a on a.organization_id = i.organization_id
    where i.rows is distinct from a.rows
  `),
]

function compareMails(invited: ReadonlySet<string>, mails: MailServer['mails']) {
  const ids = new Map<string, string[]>()
  for (const { to, headers } of mails)
    for (const address of to) ids.set(address, [...(ids.get(address) ?? []), headers['message-id'] ?? ''])
  return {
    unsent: [...invited].filter((address) => !ids.has(address)),
    stray: [...ids.keys()].filter((address) => !invited.has(address)),
    different: [...ids].filter(([, own]) => new Set(own).size > 1).map(([address]) => address),
  }
}
