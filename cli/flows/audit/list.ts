import type { AuditEventView } from '../../../shared/audit.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError } from '../../output/cli-error.ts'
import { findUser } from '../admin/users.ts'
import type { ValuesOf } from '../field.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { transientError } from '../transient-error.ts'
import {
  type EventValues,
  eventFilterFields,
  type FetchEvents,
  pageFields,
  queryOf,
  type TrailListing,
  trailListing,
  userFilterFields,
} from './events.ts'
import { type Trail, toTrail } from './trail.ts'

const fields = { ...eventFilterFields, ...userFilterFields, ...pageFields } as const

export const auditList: TrailListing<typeof fields> = {
  ...trailListing(ask),
  command: 'admin audit list',
  summary: 'The audit trail of the whole service, newest first; needs a platform role',
  fields,
  call: '/admin/list-audit-events',
  globalFlags: ['--org'],
  examples: ['--event sign-in-failed --since 1d', '--user ann@example.com --all-pages --ndjson', '--follow --ndjson'],
}

async function ask(context: FlowContext, values: ValuesOf<typeof fields>): Promise<FetchEvents> {
  const connection = await context.signedIn()
  const named = context.organization
  const organizationId = await organizationIdOf(connection, named).catch(orKnownInTrail(connection, named))
  return askAbout(context, values, { organizationId })
}

async function askAbout(
  context: Pick<FlowContext, 'signedIn' | 'now'>,
  { user, actor, ...values }: EventValues & Partial<ValuesOf<typeof userFilterFields>>,
  { organizationId, userId: known }: { readonly organizationId?: string | undefined; readonly userId?: string },
): Promise<FetchEvents> {
  const connection = await context.signedIn()
  const idOf = async (word: string | undefined) =>
    word === undefined ? undefined : (await findUser(connection, word, 'audit:list')).id
  const [userId = known, actorId] = await Promise.all([idOf(user), idOf(actor)])
  const which = queryOf(values, context.now())
  return (query) => connection.api.audit.listAuditEvents({ ...which, ...query, userId, actorId, organizationId })
}

/** The whole trail, or what concerns one user. */
export const serviceTrail = (user?: { readonly id: string; readonly email: string }): Trail =>
  toTrail({
    listing: auditList,
    terms: [...(user ? [] : ['user']), 'event', 'actor', 'since', 'until'],
    ...(user && { given: { user: user.email } }),
    fetch: (context, values) => askAbout(context, values, user ? { userId: user.id } : {}),
  })

/** An imported organization keeps its id, whatever that looks like, so an unknown word may be one. */
const orKnownInTrail =
  ({ api }: FlowConnection, organizationId: string | undefined) =>
  async (error: unknown) => {
    const isUnknown = error instanceof CliError && error.exitCode === exitCodes.notFound
    const known = isUnknown ? await api.audit.listAuditEvents({ organizationId, limit: '1' }) : null
    if (!known?.events.length) throw error
    return organizationId
  }

interface FollowOptions {
  /** How many of the latest events come first. */
  readonly first: string
  /** Where an earlier run came to. Then the events since come first. */
  readonly from?: string | undefined
  /** Called with the position after events that were taken. */
  readonly onPosition?: (latest: string) => void
  /** Rejects when following ends. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Called once per outage; undefined when it is over. */
  readonly onOutage: (fault: CliError | undefined) => void
}

/** Milliseconds. Polling slows down while nothing happens or the service does not answer. */
const [shortest, longest, longestOutage] = [1000, 5000, 30_000]

/**
 * The latest events, then each new one, oldest first, without gaps or repetitions. An event that is counted once more
 * comes again with the same id.
 */
export async function* followEvents(
  ask: FetchEvents,
  { first, from, pause, onPosition, onOutage }: FollowOptions,
): AsyncGenerator<readonly AuditEventView[]> {
  const start = from === undefined ? await ask({ limit: first }) : { events: [], latest: from }
  const tell = onPosition ?? (() => {})
  yield start.events.toReversed()
  // A given position is written back only after the service has accepted it.
  if (from === undefined) tell(start.latest)
  let [after, wait, isOut] = [start.latest, shortest, false]
  for (;;) {
    await pause(wait)
    const page = await ask({ after }).catch(transientError)
    const isOutNow = !('events' in page)
    if (isOut !== isOutNow) onOutage(isOutNow ? page : undefined)
    isOut = isOutNow
    if (!('events' in page)) {
      wait = Math.min(Math.max(wait, shortest) * 2, longestOutage)
      continue
    }
    after = page.latest
    if (page.events.length > 0) yield page.events
    tell(after)
    wait = page.next === null ? pauseAfter(page.events.length, Math.min(wait, longest)) : 0
  }
}

const pauseAfter = (count: number, wait: number): number =>
  count > 0 ? shortest : Math.min(Math.max(wait, shortest) * 1.5, longest)
