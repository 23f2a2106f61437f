import type { GivenValues } from '../../flows/command-line.ts'
import { narrowingOf, type Paged, pagedCommand, readerOf } from '../../flows/paged.ts'
import { connectionOf } from '../state/flow-context.ts'
import { PagedList, type PagedRows } from '../state/paged-list.ts'
import type { Conversation } from './conversation.ts'
import { type BrowsePlan, browseResource } from './resources.ts'

interface PagesPlan<R, T extends object, V> extends Pick<BrowsePlan<T, V>, 'resource' | 'isEntered'> {
  /** Asks for the filter. */
  readonly question: string
  readonly viewOf: (rows: PagedRows<R>) => V
}

/** Asks for a filter, then reads the list that the service gives page by page. Its end reads on. */
export async function browsePages<R extends { readonly id: string }, T extends object, V>(
  conversation: Conversation,
  paged: Paged<R>,
  { question, viewOf, ...plan }: PagesPlan<R, T, V>,
): Promise<void> {
  const { store, terminal } = conversation
  const values = await askFilter(conversation, paged, question)
  const list = new PagedList<R>()
  // Made anew for each read: the user may be signed in as somebody else by then.
  const readAt = async (revision: number) => {
    const connection = connectionOf(store)
    const readPage = await readerOf(paged, { signedIn: async () => connection, now: Date.now }, values)
    return viewOf(await list.read(readPage, { revision, isStill: true }))
  }
  let revision = 0
  // After an action everything is read again.
  const read = () => readAt((revision += 1))
  const readOn = () => {
    list.want()
    return readAt(revision)
  }
  terminal.say(`The same as: ${pagedCommand(paged, values)}`)
  await browseResource(conversation, { ...plan, read, readOn })
}

/** Asks again for what the list cannot be narrowed by: it would be read whole, as if all of it matched. */
async function askFilter<R>({ terminal }: Conversation, paged: Paged<R>, question: string): Promise<GivenValues> {
  for (;;) {
    const { values, problem, unasked } = narrowingOf(paged, await terminal.ask(question))
    if (problem === undefined && unasked === '') return values
    terminal.say(`${problem ?? `Not a filter: ${unasked}`}.`)
  }
}
