import type { AuditEventView } from '../../../shared/audit.ts'
import { auditEventNames, auditEventsNamed } from '../../../shared/audit-events.ts'
import { isMachineAddress } from '../../../shared/email.ts'
import type { Column } from '../../output/cell.ts'
import { usageError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FieldType } from '../../output/json.ts'
import { countText } from '../../output/words.ts'
import { nearestWord } from '../candidates.ts'
import type { Fields, ValuesOf } from '../field.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, ListPart } from '../listing.ts'
import { momentProblem, parseMoment } from '../moment.ts'
import { allPagesField, limitField } from '../page-fields.ts'
import { namesInEvents, withNames } from './names.ts'

/** Includes groups: the part of a name before its dash. */
const known = [
  ...new Set(
    auditEventNames.flatMap((name) => name.split('-').map((_, end, parts) => parts.slice(0, end + 1).join('-'))),
  ),
]

export const eventWords = async (): Promise<readonly string[]> => known

/** What is wrong with event names, before the service is asked. */
export function eventProblem(text: string, name: string): string | undefined {
  const unknown = text.split(',').find((word) => auditEventsNamed(word).length === 0)
  if (text === '' || unknown === undefined) return undefined
  const meant = nearestWord(unknown, known)
  return `${name}: unknown event ${unknown}. ${meant === undefined ? `There are: ${auditEventNames.join(', ')}` : `Did you mean ${meant}?`}`
}

const eventFields = {
  id: 'text',
  event: 'text',
  createdAt: 'date',
  actorId: 'text?',
  actorEmail: 'text?',
  actorName: 'text?',
  keyName: 'text?',
  impersonatorId: 'text?',
  impersonatorEmail: 'text?',
  keyId: 'text?',
  isServer: 'flag',
  userId: 'text?',
  userEmail: 'text?',
  userName: 'text?',
  targetName: 'text?',
  organizationId: 'text?',
  target: 'text?',
  details: 'any',
  ipAddress: 'text?',
  userAgent: 'text?',
  requestId: 'text',
  count: 'number',
  lastAt: 'date',
} as const satisfies Record<keyof AuditEventView, FieldType>

/** How to show an id. */
type IdText = (id: string | null) => string | null

/** The actor and, during an impersonation, the impersonator; `-` if nobody was signed in. */
export function actorSummary(event: AuditEventView, idText?: IdText): string {
  const [who, by] = [actorLabel(event, idText), impersonatorOf(event, idText)]
  return by === null ? who : `${who}, IMPERSONATED by ${by}`
}

/** The person who impersonated somebody, if any. */
export const impersonatorOf = (
  { impersonatorId, impersonatorEmail }: AuditEventView,
  idText: IdText = endingOf,
): string | null => impersonatorEmail ?? idText(impersonatorId)

/** The user or machine that acted, with the key that it used. */
export function actorLabel(event: AuditEventView, idText: IdText = endingOf): string {
  const { actorId, actorEmail, keyId, isServer } = event
  const key = keyLabel(event)
  if (actorEmail !== null && !isMachineAddress(actorEmail))
    return key === undefined ? actorEmail : `${actorEmail}, ${key}`
  if (actorEmail !== null || keyId !== null) return machineName(event, key)
  return idText(actorId) ?? (isServer ? 'the service key' : '-')
}

const keyLabel = ({ keyId, keyName }: AuditEventView): string | undefined =>
  keyId === null ? undefined : `key ${keyName ?? endOf(keyId)}`

/** People know a machine by its name, and a deleted one by the ending of its key's id, by which `key view` finds it. */
const machineName = ({ actorId, actorName }: AuditEventView, key: string | undefined): string =>
  actorName === null ? (key ?? machineLabel(endOf(actorId ?? ''))) : machineLabel(actorName)

const machineLabel = (name: string): string => `machine ${name}`

const endOf = (id: string): string => `…${id.slice(-8)}`

/** For ids whose address the reader must not see. Commands accept an ending too. */
const endingOf: IdText = (id) => (id !== null && id.length > 9 ? endOf(id) : id)

const whole: IdText = (id) => id

/** The user concerned, if that is not the actor. */
export function affectedUserOf(
  { userId, userEmail, userName, actorId }: AuditEventView,
  idText: IdText = endingOf,
): string | null {
  if (userId === actorId) return null
  const isNamedMachine = userEmail !== null && userName !== null && isMachineAddress(userEmail)
  return isNamedMachine ? machineLabel(userName) : (userEmail ?? idText(userId))
}

/** `organization-updated ×200`: that many times within a minute. */
export const eventText = ({ event, count }: AuditEventView): string =>
  count > 1 ? `${event} ×${countText(count)}` : event

/** `target=deploy, role=admin, count=2` */
export const detailsOf = ({ targetName: target, details }: AuditEventView): string =>
  Object.entries({ target, ...details })
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

/** Programs get ids. People see a name instead, if another event has it. */
export function eventColumns(events: readonly AuditEventView[]): readonly Column<AuditEventView>[] {
  const names = namesInEvents(events)
  const named = (tell: (event: AuditEventView, idText?: IdText) => string | null) => ({
    value: (event: AuditEventView) => tell(withNames(event, names)),
    full: (event: AuditEventView) => tell(event, whole),
  })
  return [
    { header: 'When', value: ({ createdAt }) => createdAt },
    { header: 'Event', value: eventText, full: ({ event }) => event, whole: 'always' },
    { header: 'Who', ...named(actorSummary), whole: 'always' },
    { header: 'About', ...named(affectedUserOf), whole: 'room' },
    { header: 'Details', ...named(detailsOf), whole: 'room' },
    { header: 'Address', value: ({ ipAddress }) => ipAddress, whole: 'room' },
    { header: 'Target', value: ({ target }) => target, id: 'reference' },
    { header: 'Organization', value: ({ organizationId }) => organizationId, id: 'reference' },
    { header: 'ID', value: ({ id }) => id, id: 'reference' },
  ]
}

export const eventFilterFields = {
  event: {
    kind: 'text',
    label: 'Event',
    flag: '--event <event>',
    summary:
      'only these, comma-separated: sign-in-done, or a group such as sign-in, user, key (all: docs/administration.md)',
    isOptional: true,
    check: eventProblem,
    complete: eventWords,
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

export const userFilterFields = {
  user: {
    kind: 'text',
    label: 'User',
    flag: '--user <user>',
    summary: 'only events that concern this user: id, e-mail address or unique name',
    isOptional: true,
  },
  actor: {
    kind: 'text',
    label: 'Actor',
    flag: '--actor <user>',
    summary: 'only what this user did, also while impersonating somebody',
    isOptional: true,
  },
} as const

export const pageFields = {
  limit: limitField,
  cursor: {
    kind: 'text',
    label: 'From',
    flag: '--cursor <cursor>',
    summary: 'where the previous page ended',
    isOptional: true,
    onlyInCommands: true,
  },
  allPages: allPagesField,
} as const

interface EventQuery {
  readonly event?: string
  readonly since?: string
  readonly until?: string
}

export interface EventPage {
  readonly events: readonly AuditEventView[]
  readonly next: string | null
  readonly latest: string
}

/** A call that lists events. */
export type FetchEvents = (
  query: EventQuery & { readonly limit?: string; readonly cursor?: string; readonly after?: string },
) => Promise<EventPage>

export type EventValues = Partial<ValuesOf<typeof eventFilterFields>>

export function queryOf({ event, since, until }: EventValues, now: number): EventQuery {
  const [from, to] = [since, until].map((text) =>
    text === undefined ? undefined : parseMoment(text, now)?.toISOString(),
  )
  return { ...(event && { event }), ...(from && { since: from }), ...(to && { until: to }) }
}

/** Explains the refusal of a cursor, which is opaque and cannot be checked here. */
function explained(error: unknown, cursor: string | undefined): never {
  if (cursor === undefined || toCliError(error).code !== 'VALIDATION_ERROR') throw error
  throw usageError(
    `--cursor is not valid for this service: ${cursor}`,
    'Use page.next of the previous page: --json=id prints it',
    ['--cursor'],
  )
}

/** A list of part of the audit trail that can also be followed. */
export interface TrailListing<F extends Fields> extends Listing<AuditEventView, F> {
  /** Turns the values into a query, and looks up the organization once. */
  readonly ask: (context: FlowContext, values: ValuesOf<F>) => Promise<FetchEvents>
}

/** What all lists of events share. `ask`: as in `TrailListing`. */
export const trailListing = <V extends ValuesOf<typeof pageFields>>(
  ask: (context: FlowContext, values: V) => Promise<FetchEvents>,
) => ({
  answer: eventFields,
  columns: eventColumns,
  empty: 'No events',
  ask,
  list: async (context: FlowContext, values: V) => loadEvents(await ask(context, values), values),
})

/** A page of events, newest first, or all of them. */
async function loadEvents(
  ask: FetchEvents,
  { limit = '100', cursor, allPages }: ValuesOf<typeof pageFields>,
): Promise<ListPart<AuditEventView>> {
  const first = ask({ limit, ...(cursor !== undefined && { cursor }) })
  let page = await first.catch((error: unknown) => explained(error, cursor))
  const events = [...page.events]
  while (allPages && page.next !== null) {
    page = await ask({ limit, cursor: page.next })
    events.push(...page.events)
  }
  const next = page.next === null ? null : { value: page.next, flags: ['--cursor', page.next] }
  return { items: events, total: next === null && cursor === undefined ? events.length : null, next }
}
