import {
  type EventValues,
  eventFilterFields,
  type FetchEvents,
  pageFields,
  queryOf,
  type TrailListing,
  trailListing,
} from '../audit/events.ts'
import { toTrail } from '../audit/trail.ts'
import type { ValuesOf } from '../field.ts'
import type { FlowContext } from '../flow-context.ts'
import type { ScreenTarget } from '../resource.ts'

const fields = { ...eventFilterFields, ...pageFields } as const

export const accountActivity: TrailListing<typeof fields> = {
  ...trailListing<ValuesOf<typeof fields>>(ask),
  command: 'account activity',
  summary: 'Events by and about the signed-in user, newest first',
  fields,
  call: '/list-activity',
  examples: ['', '--event sign-in --since 30d', '--follow --ndjson'],
}

async function ask(context: Pick<FlowContext, 'signedIn' | 'now'>, values: EventValues): Promise<FetchEvents> {
  const { api } = await context.signedIn()
  const which = queryOf(values, context.now())
  return (query) => api.audit.listActivity({ ...which, ...query })
}

/** The audit trail of the signed-in user's own account. */
export const ownTrail = toTrail({ listing: accountActivity, terms: ['event', 'since', 'until'], fetch: ask })

export const ownTrailOpening: ScreenTarget = { screen: 'trail', title: 'Activity', trail: ownTrail }
