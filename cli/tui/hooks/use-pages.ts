import { useCallback, useEffect, useMemo, useReducer, useState } from 'react'
import type { GivenValues } from '../../flows/command-line.ts'
import { type Narrowing, narrowingOf, type Paged, pagedCommand, type ReadPage, readerOf } from '../../flows/paged.ts'
import type { TuiConnection } from '../ports.ts'
import type { ListState } from '../state/list-state.ts'
import { PagedList } from '../state/paged-list.ts'
import { useScreenKey } from './use-kept-state.ts'
import { listKeyOf } from './use-list.ts'
import { useLoad } from './use-load.ts'
import { useAppState, useShell } from './use-shell.ts'

/** How far a list was read, and its filter as the service has it. */
export interface Pages {
  /** False before the first answer, and if the service refused it. */
  readonly isRead: boolean
  readonly loaded: number
  readonly total: number | null
  readonly isMore: boolean
  readonly isReading: boolean
  readonly narrowing: Narrowing
  /** What a filter can name that the service narrows by. */
  readonly terms: readonly string[]
  /** The command that lists the same. */
  readonly command: string
  /** The part of a filter that narrows what is loaded. */
  readonly restOf: (text: string) => string
  /** Whether the rows were read with this filter. */
  readonly isAnswerTo: (filter: string) => boolean
  /** Reads the next page, unless that is under way. */
  readonly readOn: () => void
  /** Called with the text of the filter. */
  readonly onFilter: (text: string) => void
}

interface FilteredList<R extends Identified>
  extends Omit<Pages, 'isRead' | 'loaded' | 'total' | 'isMore' | 'isReading' | 'readOn'> {
  readonly list: PagedList<R>
}

interface Identified {
  readonly id: string
}

/** The filter of a list as the service gets it, and the rows that were read with it. */
function useFilteredList<R extends Identified>(paged: Paged<R>): FilteredList<R> {
  const [typed, onFilter] = useState(useKeptFilter())
  const settled = useDebounced(typed)
  const restOf = useCallback((filter: string) => narrowingOf(paged, filter).rest, [paged])
  const { values: asked, ...told } = narrowingOf(paged, settled)
  const text = JSON.stringify(asked)
  // The same object while the service is asked for the same.
  const values = useMemo((): GivenValues => JSON.parse(text), [text])
  const narrowing = { values, ...told }
  const command = pagedCommand(paged, values)
  const list = usePagedList<R>(command)
  const isAnswerTo = (filter: string) => list.isRead && JSON.stringify(narrowingOf(paged, filter).values) === text
  return { list, narrowing, terms: paged.terms, command, restOf, isAnswerTo, onFilter }
}

interface PagesPlan {
  /** Its start is not read again at every beat. */
  readonly isStill?: boolean
}

/** A list that is read page by page, and on when its end is reached. Loads again as `useLoad` does. */
export function usePages<R extends Identified>(paged: Paged<R>, { isStill = false }: PagesPlan = {}) {
  const { list, ...filtered } = useFilteredList(paged)
  const { revision } = useAppState()
  const { values } = filtered.narrowing
  const [wanted, ask] = useReducer(countUp, 0)
  const [, show] = useReducer(countUp, 0)
  const reading = useMemo(() => readersOf(paged, values), [paged, values])
  const load = useCallback(
    async (connection: TuiConnection) => list.read(await reading(connection), { revision, isStill }),
    [list, reading, revision, isStill],
  )
  const read = useLoad(load, wanted)
  const isRefused = read.data === undefined && read.shownError !== undefined
  // Until the first page with another filter is there, the rows with the filter before stay.
  const data = list.isRead && !isRefused ? list.rows : read.data
  const { items, total, isMore } = data ?? list.rows
  const readOn = () => void (list.want() && ask())
  const isRead = data !== undefined
  const pages: Pages = { ...filtered, isRead, loaded: items.length, total, isMore, isReading: list.isWanted, readOn }
  return { loaded: { ...read, data }, pages, list, show }
}

/** Tells the pages the filter of their list. */
export function usePagesFilter(filter: string, pages: Pages | undefined): void {
  const { onFilter } = pages ?? {}
  useEffect(() => onFilter?.(filter), [onFilter, filter])
}

/** The part of a list's plan that leaves terms to the service. */
export const leftToService = (pages: Pages | undefined): Partial<Pick<Pages, 'restOf' | 'isAnswerTo'>> =>
  pages ? { restOf: pages.restOf, isAnswerTo: pages.isAnswerTo } : {}

const countUp = (count: number): number => count + 1

/** Looks up once for each connection what the filter names. */
function readersOf<R>(paged: Paged<R>, values: GivenValues): (connection: TuiConnection) => Promise<ReadPage<R>> {
  const readers = new WeakMap<TuiConnection, Promise<ReadPage<R>>>()
  return (connection) => {
    const context = { signedIn: async () => connection, now: Date.now }
    const reader = readers.get(connection) ?? readerOf(paged, context, values)
    readers.set(connection, reader)
    reader.catch(() => readers.delete(connection))
    return reader
  }
}

/** The rows read with a filter. They are kept while the user is elsewhere. */
function usePagedList<R extends Identified>(command: string): PagedList<R> {
  const { places } = useShell()
  const key = `${useScreenKey()} pages`
  return useMemo(() => {
    const kept = places.get(key) as { readonly command: string; readonly list: PagedList<R> } | undefined
    if (kept?.command === command) return kept.list
    const list = new PagedList<R>()
    places.set(key, { command, list })
    return list
  }, [places, key, command])
}

/** The filter that the list had when the user left it. */
function useKeptFilter(): string {
  const { places } = useShell()
  const kept = places.get(listKeyOf(useScreenKey())) as ListState | undefined
  return kept?.filter ?? ''
}

/** Milliseconds. */
const typingPause = 250

/** The value once it has not changed for a while, so that a search waits until the user stops typing. */
function useDebounced<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), typingPause)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
