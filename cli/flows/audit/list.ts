import { findUser } from '../admin/users.ts'
import type { ValuesOf } from '../field.ts'
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
  type TrailListing,
  whichFields,
} from './events.ts'

const fields = { ...whichFields, ...aboutFields, ...pageFields } as const

export const auditList: TrailListing<typeof fields> = {
  command: 'admin audit list',
  summary: 'The audit trail of the whole service, newest first; needs a platform role',
  fields,
  call: '/admin/list-audit-events',
  answer: eventFields,
  columns: eventColumns,
  empty: 'No events',
  examples: ['--event sign-in-failed --since 1d', '--user ann@example.com --all-pages --ndjson', '--follow --ndjson'],
  ask,
  list: async (ports, values) => eventsOf(await ask(ports, values), values),
}

async function ask(ports: Ports, { user, actor, ...values }: ValuesOf<typeof fields>): Promise<AskEvents> {
  const connection = await ports.signedIn()
  const idOf = async (word: string | undefined) =>
    word === undefined ? undefined : (await findUser(connection, word, 'audit:list')).id
  const [userId, actorId, organizationId] = await Promise.all([
    idOf(user),
    idOf(actor),
    anyOrganization(connection, ports.organization),
  ])
  const which = queryOf(values, ports.now())
  return (query) => connection.api.audit.listAuditEvents({ ...which, ...query, userId, actorId, organizationId })
}

/** One's own by slug or name; of any other the id. */
const anyOrganization = (connection: FlowConnection, named: string | undefined): Promise<string | undefined> =>
  organizationIdOf(connection, named).catch(() => named)
