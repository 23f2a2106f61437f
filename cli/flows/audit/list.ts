import type { AuditEventView } from '../../../shared/audit.ts'
import { findUser } from '../admin/users.ts'
import type { ValuesOf } from '../field.ts'
import type { Listing } from '../listing.ts'
import { organizationIdOf } from '../org/organizations.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import {
  type AskEvents,
  aboutFields,
  eventColumns,
  eventFields,
  eventsOf,
  pageFields,
  queryOf,
  whichFields,
} from './events.ts'

const fields = { ...whichFields, ...aboutFields, ...pageFields } as const

export const auditList: Listing<AuditEventView, typeof fields> = {
  command: 'admin audit list',
  summary: 'The audit trail of the whole service, newest first; needs a platform role',
  fields,
  call: '/admin/list-audit-events',
  answer: eventFields,
  columns: eventColumns,
  empty: 'No events',
  examples: ['--event sign-in-failed --since 1d', '--user ann@example.com --all-pages --ndjson', '--follow --ndjson'],
  list: async (ports, values) => eventsOf(await askAll(ports, values), queryOf(values, ports.now()), values),
}

/** With the words for people and the organization looked up once. */
export async function askAll(ports: Ports, { user, actor }: ValuesOf<typeof aboutFields>): Promise<AskEvents> {
  const connection = await ports.signedIn()
  const idOf = async (word: string | undefined) =>
    word === undefined ? undefined : (await findUser(connection, word, 'audit:list')).id
  const [userId, actorId, organizationId] = await Promise.all([
    idOf(user),
    idOf(actor),
    anyOrganization(connection, ports.organization),
  ])
  return (query) => connection.api.audit.listAuditEvents({ ...query, userId, actorId, organizationId })
}

/** One's own by slug or name; of any other the id. */
const anyOrganization = (connection: FlowConnection, named: string | undefined): Promise<string | undefined> =>
  organizationIdOf(connection, named).catch(() => named)
