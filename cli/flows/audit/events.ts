import type { AuditEventView } from '../../../shared/audit.ts'
import { isMachineAddress } from '../../../shared/email.ts'
import type { Column } from '../../output/cell.ts'
import { usageError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FieldType } from '../../output/json.ts'
import type { ValuesOf } from '../field.ts'
import type { Part } from '../listing.ts'
import { momentIn, momentProblem } from '../moment.ts'
import { allPagesField, limitField } from '../paging.ts'
import { eventProblem } from './event-problem.ts'

export const eventFields = {
  id: 'text',
  event: 'text',
  createdAt: 'date',
  actorId: 'text?',
  actorEmail: 'text?',
  impersonatorId: 'text?',
  impersonatorEmail: 'text?',
  keyId: 'text?',
  isServer: 'flag',
  userId: 'text?',
  userEmail: 'text?',
  targetName: 'text?',
  organizationId: 'text?',
  target: 'text?',
  details: 'any',
  ipAddress: 'text?',
  userAgent: 'text?',
  requestId: 'text',
} as const satisfies Record<keyof AuditEventView, FieldType>

/** Who did it, and in whose name; `-`: nobody was signed in. */
export function actorOf(event: AuditEventView): string {
  const by = event.impersonatorEmail ?? event.impersonatorId
  return by === null ? whoOf(event) : `${whoOf(event)}, IMPERSONATED by ${by}`
}

/** What people know of a machine is its key, whether it is still there or not; by this ending `key view` finds it. */
function whoOf({ actorId, actorEmail, keyId, isServer }: AuditEventView): string {
  const key = keyId === null ? undefined : `key ${endOf(keyId)}`
  if (actorEmail !== null && !isMachineAddress(actorEmail))
    return key === undefined ? actorEmail : `${actorEmail}, ${key}`
  if (key !== undefined) return key
  if (actorEmail !== null) return `machine ${endOf(actorId ?? '')}`
  return actorId ?? (isServer ? 'the service key' : '-')
}

const endOf = (id: string): string => `…${id.slice(-8)}`

/** Whom it concerns, where that is somebody else. */
export const concernedOf = ({ userId, userEmail, actorId }: AuditEventView): string | null =>
  userId === actorId ? null : (userEmail ?? userId)

/** `target=deploy, role=admin, count=2` */
export const detailsOf = ({ targetName: target, details }: AuditEventView): string =>
  Object.entries({ target, ...details })
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

export const eventColumns: readonly Column<AuditEventView>[] = [
  { header: 'When', value: ({ createdAt }) => createdAt },
  { header: 'Event', value: ({ event }) => event },
  { header: 'Who', value: actorOf },
  { header: 'About', value: concernedOf },
  { header: 'Details', value: detailsOf },
  { header: 'Address', value: ({ ipAddress }) => ipAddress },
  { header: 'Target', value: ({ target }) => target, id: 'reference' },
  { header: 'Organization', value: ({ organizationId }) => organizationId, id: 'reference' },
  { header: 'ID', value: ({ id }) => id, id: 'reference' },
]

export const whichFields = {
  event: {
    kind: 'text',
    label: 'Event',
    flag: '--event <event>',
    summary: 'only these, comma-separated: sign-in-done, or a group such as sign-in, user, key (README lists all)',
    isOptional: true,
    check: eventProblem,
  },
  since: {
    kind: 'text',
    label: 'Since',
    flag: '--since <when>',
    summary: 'only later ones: a date, a time, or how long ago, like 7d',
    isOptional: true,
    check: momentProblem,
  },
  until: {
    kind: 'text',
    label: 'Until',
    flag: '--until <when>',
    summary: 'only earlier ones: a date, a time, or how long ago, like 1h',
    isOptional: true,
    check: momentProblem,
  },
} as const

export const aboutFields = {
  user: {
    kind: 'text',
    label: 'User',
    flag: '--user <user>',
    summary: 'only what concerns that user: id, e-mail address or unique name',
    isOptional: true,
  },
  actor: {
    kind: 'text',
    label: 'Actor',
    flag: '--actor <user>',
    summary: 'only what that user did, as themselves or as somebody else',
    isOptional: true,
  },
} as const

export const pageFields = {
  limit: limitField,
  cursor: {
    kind: 'text',
    label: 'From',
    flag: '--cursor <cursor>',
    summary: 'where the page before ended',
    isOptional: true,
    onlyInCommands: true,
  },
  allPages: allPagesField,
} as const

export interface EventQuery {
  readonly event?: string
  readonly since?: string
  readonly until?: string
}

interface EventPage {
  readonly events: readonly AuditEventView[]
  readonly next: string | null
  readonly latest: string
}

/** One of the calls that list events. */
export type AskEvents = (
  query: EventQuery & { readonly limit?: string; readonly cursor?: string; readonly after?: string },
) => Promise<EventPage>

export function queryOf({ event, since, until }: ValuesOf<typeof whichFields>, now: number): EventQuery {
  const [from, to] = [since, until].map((text) => (text === undefined ? undefined : momentIn(text, now)?.toISOString()))
  return { ...(event && { event }), ...(from && { since: from }), ...(to && { until: to }) }
}

/** It is the service's own text, which nobody can check here. */
function explained(error: unknown, cursor: string | undefined): never {
  if (cursor === undefined || toCliError(error).code !== 'VALIDATION_ERROR') throw error
  throw usageError(
    `--cursor is none of this service: ${cursor}`,
    'Take it from where a page ends: --json=id has it as page.next',
    ['--cursor'],
  )
}

/** A page, newest first, or all there are. */
export async function eventsOf(
  ask: AskEvents,
  query: EventQuery,
  { limit = '100', cursor, allPages }: ValuesOf<typeof pageFields>,
): Promise<Part<AuditEventView>> {
  const first = ask({ ...query, limit, ...(cursor !== undefined && { cursor }) })
  let page = await first.catch((error: unknown) => explained(error, cursor))
  const events = [...page.events]
  while (allPages && page.next !== null) {
    page = await ask({ ...query, limit, cursor: page.next })
    events.push(...page.events)
  }
  const next = page.next === null ? null : { value: page.next, flags: ['--cursor', page.next] }
  return { items: events, total: next === null && cursor === undefined ? events.length : null, next }
}
