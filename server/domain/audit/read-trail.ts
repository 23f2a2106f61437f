import { eventsNamed } from '../../../shared/audit-events.ts'
import type { listActivity, listAuditEvents } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import {
  type AuditFilter,
  type AuditMark,
  type AuditPage,
  type AuditReader,
  followAuditEvents,
  listAuditEvents as list,
} from '../../db/audit-list.ts'
import type { Deps } from '../../deps.ts'
import { requireMoment } from '../../request/moment.ts'
import { readPageRequest } from '../../request/paging.ts'
import { noticeCopy } from '../copy/notice-copy.ts'
import { isLater, markText, positionText, readMark, readPosition } from './cursor.ts'

type Asked = Input<typeof listActivity> & Partial<Input<typeof listAuditEvents>>
type Listed = Output<typeof listAuditEvents>

/** Events of one answer. */
const maxEvents = 100

/** A page of what a reader may see: newest first, or with `after` what came since, oldest first. */
export async function readTrail(deps: Deps, reader: AuditReader, asked: Asked): Promise<Listed> {
  const { limit } = readPageRequest({ limit: asked.limit }, maxEvents)
  const query = { reader, filter: filterOf(asked), limit }
  if (asked.after === undefined) {
    const before = asked.cursor === undefined ? null : readPosition(asked.cursor)
    return newestOf(await ofThisDatabase(deps, () => list(deps.sql, query, before)))
  }
  const mark = readMark(asked.after)
  const page = await ofThisDatabase(deps, () => followAuditEvents(deps.sql, query, mark))
  // It would miss events here, or be told old ones as new.
  if (page.copy !== mark.copy || isLater(mark.seen, page.snapshot)) throw new Failure('CURSOR_OF_ANOTHER_DATABASE')
  return followedOf(page, mark)
}

type OwnPage = AuditPage & { readonly copy: string }

/** The page of a database that knows which it is; a copy that took the place of another under this process learns it now. */
async function ofThisDatabase(deps: Deps, read: () => Promise<AuditPage>): Promise<OwnPage> {
  const page = await read()
  if (isOwned(page)) return page
  await noticeCopy(deps)
  const again = await read()
  if (!isOwned(again)) throw deps.sql.distrust()
  return again
}

const isOwned = (page: AuditPage): page is OwnPage => page.copy !== null

const filterOf = ({ event, userId, actorId, organizationId, since, until }: Asked): AuditFilter => ({
  events: event === undefined ? null : [...new Set(event.split(',').flatMap(eventsNamed))],
  userId: userId ?? null,
  actorId: actorId ?? null,
  organizationId: organizationId ?? null,
  since: since === undefined ? null : requireMoment(new Date(since), 'INVALID_QUERY', ['since']),
  until: until === undefined ? null : requireMoment(new Date(until), 'INVALID_QUERY', ['until']),
})

function newestOf({ events, isMore, snapshot, copy }: OwnPage): Listed {
  const last = events.at(-1)
  const next = isMore && last ? positionText(last) : null
  return { events: [...events], next, latest: markText({ copy, seen: snapshot, part: null }) }
}

/** A page that is not the last leads on through what the first of them could see, and only then further. */
function followedOf({ events, isMore, snapshot, xid }: AuditPage, { copy, seen, part }: AuditMark): Listed {
  const until = part?.until ?? snapshot
  const last = events.at(-1)
  if (!isMore || !last || xid === null)
    return { events: [...events], next: null, latest: markText({ copy, seen: until, part: null }) }
  const latest = markText({ copy, seen, part: { until, xid, id: last.id } })
  return { events: [...events], next: latest, latest }
}
