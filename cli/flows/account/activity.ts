import type { AuditEventView } from '../../../shared/audit.ts'
import { eventColumns, eventFields, eventsOf, pageFields, queryOf, whichFields } from '../audit/events.ts'
import type { Listing } from '../listing.ts'

const fields = { ...whichFields, ...pageFields } as const

export const accountActivity: Listing<AuditEventView, typeof fields> = {
  command: 'account activity',
  summary: 'What the signed-in user did, and what was done to them, newest first',
  fields,
  call: '/list-activity',
  answer: eventFields,
  columns: eventColumns,
  empty: 'No events',
  examples: ['', '--event sign-in --since 30d'],
  list: async (ports, values) => {
    const { api } = await ports.signedIn()
    return eventsOf((query) => api.audit.listActivity(query), queryOf(values, ports.now()), values)
  },
}
