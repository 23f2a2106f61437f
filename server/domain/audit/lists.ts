import { auditEventsNamed } from '../../../shared/audit-events.ts'
import type * as calls from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import {
  type AuditFilter,
  type AuditFollowMark,
  type AuditPage,
  type AuditPosition,
  type AuditQuery,
  type AuditReader,
  followAuditEvents,
  listAuditEvents as list,
} from '../../db/audit-list.ts'
import type { Sql } from '../../db/connect.ts'
import type { Actor } from '../../db/organization-actors.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { readPageRequest } from '../../request/paging.ts'
import { requireStorableDate } from '../../request/storable-date.ts'
import { requirePlatformPermission } from '../admin/permission.ts'
import { detectCopy } from '../copy/detect-copy.ts'
import { readAsMember, requireMembership, requireOrganizationId, requirePermission } from '../organization/roles.ts'
import { markBehind, markText, positionText, readMark, readPosition, requireSameDatabase } from './cursor.ts'

type AuditListInput = Input<typeof calls.listActivity> & Partial<Input<typeof calls.listAuditEvents>>
type AuditList = Output<typeof calls.listAuditEvents>

/** Events per page. */
const maxEvents = 100

/** A page of the trail: the newest events, those before a position, or those after a mark. */
interface TrailQuestion {
  readonly query: AuditQuery
  readonly before: AuditPosition | null
  readonly mark: AuditFollowMark | null
}

/** Refuses cursors and dates that cannot be read. */
const questionOf = (reader: AuditReader, asked: AuditListInput): TrailQuestion => ({
  query: { reader, filter: filterOf(asked), limit: readPageRequest({ limit: asked.limit }, maxEvents).limit },
  before: asked.cursor === undefined || asked.after !== undefined ? null : readPosition(asked.cursor),
  mark: asked.after === undefined ? null : readMark(asked.after),
})

/**
 * A page of the events that the reader may see: newest first, or with `after` the later ones, oldest first. Always the
 * primary's: a replica does not know which transactions are still running, and followers would miss their events.
 */
async function readTrail(
  deps: Deps,
  question: TrailQuestion,
  readFirst: ReadFirst = (read) => read(deps.sql),
): Promise<AuditList> {
  const { query, before, mark } = question
  if (mark === null) return newestPageOf(await readIdentifiedPage(deps, (sql) => list(sql, query, before), readFirst))
  const page = await readIdentifiedPage(deps, (sql) => followAuditEvents(sql, query, mark), readFirst)
  requireSameDatabase(page, mark)
  return laterPageOf(page, mark)
}

type ReadPage = (sql: Sql) => Promise<AuditPage>
/** Reads the page for the first time, perhaps together with what decides whether the reader may see it. */
type ReadFirst = (read: ReadPage) => Promise<AuditPage>

type IdentifiedPage = AuditPage & { readonly copy: string }

/**
 * Reads a page, and makes sure that the database knows which copy it is. This is where the process notices that a copy
 * replaced its database.
 */
async function readIdentifiedPage(deps: Deps, read: ReadPage, readFirst: ReadFirst): Promise<IdentifiedPage> {
  const page = await readFirst(read)
  if (isIdentified(page)) return page
  await detectCopy(deps)
  const again = await read(deps.sql)
  if (!isIdentified(again)) throw deps.sql.distrust()
  return again
}

const isIdentified = (page: AuditPage): page is IdentifiedPage => page.copy !== null

const filterOf = ({ event, userId, actorId, organizationId, since, until }: AuditListInput): AuditFilter => ({
  events: event === undefined ? null : [...new Set(event.split(',').flatMap(auditEventsNamed))],
  userId: userId ?? null,
  actorId: actorId ?? null,
  organizationId: organizationId ?? null,
  since: since === undefined ? null : requireStorableDate(new Date(since), 'INVALID_QUERY', ['since']),
  until: until === undefined ? null : requireStorableDate(new Date(until), 'INVALID_QUERY', ['until']),
})

function newestPageOf({ events, isMore, snapshot, copy }: IdentifiedPage): AuditList {
  const last = events.at(-1)
  const next = isMore && last ? positionText(last) : null
  return { events: [...events], next, latest: markText({ copy, seen: snapshot, part: null }) }
}

/** All of a page's events are behind the cursor of the next one. */
function laterPageOf(page: AuditPage, mark: AuditFollowMark): AuditList {
  const latest = markText(markBehind(page, mark))
  return { events: [...page.events], next: page.isMore ? latest : null, latest }
}

/** For members who may update the organization, by whichever of their roles. */
export async function listOrganizationActivity(
  deps: Deps,
  caller: Caller,
  { organizationId: named, ...asked }: Input<typeof calls.listOrganizationActivity>,
): Promise<Output<typeof calls.listOrganizationActivity>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const organizationId = requireOrganizationId(caller, named, failures.none)
  const reader = { kind: 'organization', userId: caller.user.id, organizationId } as const
  const requireRight = (actor: Actor) =>
    requirePermission(deps.config, actor, 'organization:update', 'ACTIVITY_LIST_FORBIDDEN')
  const question = await orOnceAllowed(
    () => questionOf(reader, asked),
    async () => requireRight(await requireMembership(deps, caller, named, failures)),
  )
  return readTrail(deps, question, async (read) => {
    const { actor, found } = await readAsMember(deps, caller, { ...failures, named }, read)
    requireRight(actor)
    return found
  })
}

/** Whoever may not read the list learns that first, whatever is wrong with the question. */
async function orOnceAllowed<T>(ask: () => T, requireAllowed: () => Promise<void>): Promise<T> {
  try {
    return ask()
  } catch (error) {
    await requireAllowed()
    throw error
  }
}

export const listActivity = async (
  deps: Deps,
  { user }: Caller,
  asked: Input<typeof calls.listActivity>,
): Promise<Output<typeof calls.listActivity>> => readTrail(deps, questionOf({ kind: 'person', userId: user.id }, asked))

export async function listAuditEvents(
  deps: Deps,
  caller: Caller,
  asked: Input<typeof calls.listAuditEvents>,
): Promise<Output<typeof calls.listAuditEvents>> {
  requirePlatformPermission(deps, caller, 'audit:list', 'AUDIT_LIST_FORBIDDEN')
  return readTrail(deps, questionOf({ kind: 'all' }, asked))
}
