import type { AuditEventView } from '../../../shared/audit.ts'
import type { PersonData } from '../../../shared/person-data.ts'
import { serverError } from '../../output/cli-error.ts'
import type { AnswerFields } from '../../output/json.ts'
import type { FetchEvents } from '../audit/events.ts'
import type { FlowConnection } from '../flow-context.ts'
import { findUser } from './users.ts'

/** All that is kept of a person. */
export type ExportedPerson = Required<PersonData> & { readonly events: readonly AuditEventView[] }

export const exportedFields = {
  user: 'any',
  storedFields: 'any',
  accounts: 'any',
  sessions: 'any',
  memberships: 'any',
  invitationsTo: 'any',
  invitationsFrom: 'any',
  keys: 'any',
  mails: 'any',
  webhooks: 'any',
  deviceRequests: 'any',
  machines: 'any',
  secondFactors: 'any',
  incomplete: 'list',
  events: 'any',
} as const satisfies Readonly<Record<keyof ExportedPerson, AnswerFields[string]>>

type Calls = Pick<FlowConnection, 'api'>

/** The paths of the calls, for the log of requests and for completion. */
export const exportCalls = { account: '/export-account', user: '/admin/export-user' } as const

export async function exportOwnData({ api }: Calls): Promise<ExportedPerson> {
  const data = await api.account.exportAccount({})
  return { incomplete: [], ...data, events: await allEvents((query) => api.audit.listActivity(query)) }
}

/** Reads the events first: without the right to read them, nothing is exported and recorded as such. */
export async function exportUserData(connection: Calls, word: string): Promise<ExportedPerson> {
  const { api } = connection
  const { id: userId } = await findUser(connection, word, 'user:export')
  const [about, by] = await Promise.all([
    allEvents((query) => api.audit.listAuditEvents({ ...query, userId })),
    allEvents((query) => api.audit.listAuditEvents({ ...query, actorId: userId })),
  ])
  const events = [...new Map([...about, ...by].map((event) => [event.id, event])).values()]
  if (!events.every((event) => isOf(event, userId)))
    throw serverError(
      'The service answered with events of somebody else',
      'Check the address: postern auth status --explain',
    )
  return {
    incomplete: [],
    ...(await api.support.exportUser({ userId })),
    events: events.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime()),
  }
}

const isOf = ({ userId, actorId, impersonatorId }: AuditEventView, id: string): boolean =>
  [userId, actorId, impersonatorId].includes(id)

async function allEvents(ask: FetchEvents): Promise<readonly AuditEventView[]> {
  const events: AuditEventView[] = []
  let cursor: string | null | undefined
  do {
    const page = await ask({ limit: '100', ...(cursor && { cursor }) })
    events.push(...page.events)
    cursor = page.next
  } while (cursor !== null)
  return events
}
