import type { AuditEventView } from '../../../shared/audit.ts'
import type { FlowContext } from '../flow-context.ts'
import type { ListPart } from '../listing.ts'
import { type Paged, pageSize } from '../paged.ts'
import type { EventPage, EventValues, FetchEvents } from './events.ts'
import type { NamesById } from './names.ts'

/** The values of a filter of events. */
type TrailValues = EventValues & { readonly user?: string; readonly actor?: string }

/** Part of the audit trail, its filter, and the command that lists it. */
export interface Trail extends Paged<AuditEventView> {
  readonly fetch: (context: Pick<FlowContext, 'signedIn' | 'now'>, values: TrailValues) => Promise<FetchEvents>
  /** Names for the ids in it. Made when they are asked for: they can be thousands. */
  readonly names?: () => NamesById
}

/** A page of events in the form of other lists. Events are not counted, so there is no total. */
export const eventPart = ({ events, next }: Pick<EventPage, 'events' | 'next'>): ListPart<AuditEventView> => ({
  items: events,
  total: null,
  next: next === null ? null : { value: next, flags: ['--cursor', next] },
})

/** A trail, whose pages are newest first. */
export const toTrail = (trail: Omit<Trail, 'ask'>): Trail => ({
  ...trail,
  ask: async (context, values) => {
    const fetch = await trail.fetch(context, values)
    return async ({ cursor }) =>
      eventPart(await fetch({ limit: String(pageSize), ...(cursor !== undefined && { cursor }) }))
  },
})
