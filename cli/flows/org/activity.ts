import {
  eventColumns,
  eventFields,
  eventFilterFields,
  type FetchEvents,
  loadEvents,
  pageFields,
  queryOf,
  type TrailListing,
} from '../audit/events.ts'
import type { ValuesOf } from '../field.ts'
import type { FlowContext } from '../flow-context.ts'
import { membersOf, pickMember } from '../member/members.ts'
import { organizationIdOf } from './organizations.ts'

const whom = {
  user: {
    kind: 'text',
    label: 'Member',
    flag: '--user <user>',
    summary: 'only what concerns that member',
    isOptional: true,
  },
  actor: {
    kind: 'text',
    label: 'Actor',
    flag: '--actor <user>',
    summary: 'only what that member did',
    isOptional: true,
  },
} as const
const fields = { ...eventFilterFields, ...whom, ...pageFields } as const

export const organizationActivity: TrailListing<typeof fields> = {
  command: 'org activity',
  summary: 'The audit trail of the organization, newest first; for its owners and admins',
  fields,
  call: '/organization/list-activity',
  answer: eventFields,
  columns: eventColumns,
  empty: 'No events',
  examples: ['', '--org acme --event role-changed,member', '--actor ann@example.com --since 7d', '--follow --ndjson'],
  ask,
  list: async (context, values) => loadEvents(await ask(context, values), values),
}

async function ask(context: FlowContext, values: ValuesOf<typeof fields>): Promise<FetchEvents> {
  const connection = await context.signedIn()
  const [organizationId, people] = await Promise.all([
    organizationIdOf(connection, context.organization),
    peopleOf(context, values),
  ])
  const which = queryOf(values, context.now())
  return (query) => connection.api.audit.listOrganizationActivity({ ...which, ...query, ...people, organizationId })
}

async function peopleOf(context: FlowContext, { user, actor }: ValuesOf<typeof whom>) {
  if (user === undefined && actor === undefined) return {}
  const members = await membersOf(context)
  const idOf = (word: string | undefined) => (word === undefined ? undefined : pickMember(members, word).userId)
  return { userId: idOf(user), actorId: idOf(actor) }
}
