import type { Reply } from '../http/reply.ts'
import type { PageOf, PartOf, RawPageOf } from '../request/paging.ts'
import type { RawList } from '../request/raw-list.ts'

type ListReply = Pick<Reply, 'setNextOffset'>

/** A page as a plain list, which older clients expect. The Link header says where it continues. */
export async function answerList<T>(reply: ListReply, work: Promise<PageOf<T>>): Promise<T[]> {
  const { rows, next } = await work
  if (next !== null) reply.setNextOffset(next)
  return [...rows]
}

/** The same for rows that are only passed on. */
export async function passList<T>(reply: ListReply, work: Promise<RawPageOf<T>>): Promise<RawList<T>> {
  const { rows, next } = await work
  if (next !== null) reply.setNextOffset(next)
  return rows
}

/** The same for an answer that has the total beside its rows. */
export async function answerPart<T>(reply: ListReply, work: Promise<PartOf<T>>): Promise<T> {
  const { answer, next } = await work
  if (next !== null) reply.setNextOffset(next)
  return answer
}
