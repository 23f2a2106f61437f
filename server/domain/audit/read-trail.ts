import { eventsNamed } from '../../../shared/audit-events.ts'
import type { listActivity, listAuditEvents } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
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
import { markText, positionText, readMark, readPosition } from './cursor.ts'

type Asked = Input<typeof listActivity> & Partial<Input<typeof listAuditEvents>>
type Listed = Output<typeof listAuditEvents>

/** Events of one answer. */
const maxEvents = 100

/** A page of what a reader may see: newest first, or with `after` what came since, oldest first. */
export async function readTrail({ sql }: Deps, reader: AuditReader, asked: Asked): Promise<Listed> {
  const { limit } = readPageRequest({ limit: asked.limit }, maxEvents)
  const query = { reader, filter: filterOf(asked), limit }
  if (asked.after === undefined)
    return newestOf(await list(sql, query, asked.cursor === undefined ? null : readPosition(asked.cursor)))
  const mark = readMark(asked.after)
  return followedOf(await followAuditEvents(sql, query, mark), mark)
}

const filterOf = ({ event, userId, actorId, organizationId, since, until }: Asked): AuditFilter => ({
  events: event === undefined ? null : [...new Set(event.split(',').flatMap(eventsNamed))],
  userId: userId ?? null,
  actorId: actorId ?? null,
  organizationId: organizationId ?? null,
  since: since === undefined ? null : requireMoment(new Date(since), 'INVALID_QUERY'),
  until: until === undefined ? null : requireMoment(new Date(until), 'INVALID_QUERY'),
})

function newestOf({ events, isMore, snapshot }: AuditPage): Listed {
  const last = events.at(-1)
  const next = isMore && last ? positionText(last) : null
  return { events: [...events], next, latest: markText({ seen: snapshot, part: null }) }
}

/** A page that is not the last leads on through what the first of them could see, and only then further. */
function followedOf({ events, isMore, snapshot, xid }: AuditPage, { seen, part }: AuditMark): Listed {
  const until = part?.until ?? snapshot
  const last = events.at(-1)
  if (!isMore || !last || xid === null)
    return { events: [...events], next: null, latest: markText({ seen: until, part: null }) }
  const latest = markText({ seen, part: { until, xid, id: last.id } })
  return { events: [...events], next: latest, latest }
}
