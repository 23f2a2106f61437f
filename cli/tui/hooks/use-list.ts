import { type Dispatch, useEffect, useMemo, useReducer, useRef } from 'react'
import { keyGroups } from '../keymap/keymap.ts'
import { type Intent } from '../keymap/names.ts'
import { type SearchedText, searchedText } from '../search/fuzzy.ts'
import { lookAhead } from '../search/look-ahead.ts'
import { rankRows } from '../search/ranking.ts'
import { type Column, matchesFields, parseFilter, sortedBy } from '../state/columns.ts'
import {
  chosenOrSelected,
  emptyList,
  type ListAction,
  type ListState,
  listReducer,
  markedAmong,
  selectedLine,
  windowStart,
} from '../state/list-state.ts'
import { useBeginning } from './use-beginning.ts'
import type { Intents } from './use-bindings.ts'
import { useScreenKey } from './use-kept-state.ts'
import { useShell } from './use-shell.ts'

interface ListPlan<T> {
  /** Must be the same array while its content is the same, otherwise every key sorts it again. */
  readonly items: readonly T[]
  readonly idOf: (item: T) => string
  /** The text that a filter searches. Must be the same function each time too. */
  readonly textOf: (item: T) => string
  /** Visible lines. */
  readonly height: number
  /** What a key does with the selected item. */
  readonly acts?: readonly Intent[]
  /** The part of a filter that is not left to the service. Must be the same function each time too. */
  readonly restOf?: (text: string) => string
  /** Whether the items are what the service has for this filter. */
  readonly isAnswerTo?: (filter: string) => boolean
  /** The visible columns. Must be the same array each time too. A menu has none. */
  readonly columns?: readonly Column<T>[]
  /** New items come first all the time. Until the user moves, the newest one is selected. */
  readonly isLive?: boolean | undefined
}

export interface ListControl<T> {
  readonly state: ListState
  readonly columns: readonly Column<T>[]
  /** The items that match the filter, in the chosen order. */
  readonly items: readonly T[]
  /** The typed text whose letters are marked in them. */
  readonly typed: string
  /** The number of items without a filter. */
  readonly total: number
  readonly start: number
  readonly line: number
  readonly selected: T | undefined
  /** The marked items, even those that the filter hides. Otherwise the selected one. */
  readonly chosen: readonly T[]
  /** Of the items that exist, also those that the filter hides. Includes the range being marked. */
  readonly marks: ReadonlySet<string>
  readonly intents: Intents
  /** Intents without effect, because the list is empty. */
  readonly idle: ReadonlySet<Intent>
  readonly typing: { readonly onChange: (text: string) => void; readonly intents: Intents }
  /** What a mouse does with the list. */
  readonly pointer: ListPointer
  readonly unmark: () => void
}

export interface ListPointer {
  readonly select: (line: number) => void
  readonly move: (by: number) => void
}

const none: readonly never[] = []

/**
 * Selection, marks, filter, order and scroll position of a list, with its intents. They are kept while the user is
 * elsewhere.
 */
export function useList<T>(plan: ListPlan<T>): ListControl<T> {
  const { idOf, height, columns = none } = plan
  const { back, created } = useShell()
  const [state, dispatch] = useListState(plan)
  const { items: shown, typed } = useShown(plan, state)
  const ids = shown.map(idOf)
  useGreeting({ created, state, isListed: plan.items.some((item) => idOf(item) === created), ids }, dispatch)
  useBeginning(state, dispatch, canBegin(plan, state) ? ids : none)
  const line = selectedLine(state, ids)
  const all = plan.items.map(idOf)
  const chosenIds = new Set(chosenOrSelected(state, ids, all))
  const leave = () => {
    if (state.filter) dispatch({ type: 'clear-filter' })
    else if (state.marks.size > 0 || state.anchor !== undefined) dispatch({ type: 'unmark' })
    else back()
  }
  return {
    state,
    columns,
    items: shown,
    typed,
    total: plan.items.length,
    start: windowStart(line, height, ids.length),
    line,
    selected: shown[line],
    chosen: plan.items.filter((item) => chosenIds.has(idOf(item))),
    marks: new Set(markedAmong(state, ids, all)),
    intents: {
      ...movesOf(dispatch, ids, height),
      ...marksIn(dispatch, ids),
      ...(columns.length > 0 ? sortsOf(dispatch, columns) : {}),
      filter: () => dispatch({ type: 'type-filter' }),
      back: leave,
    },
    idle: idleIn(state, { count: shown.length, acts: plan.acts ?? [] }),
    typing: typingOf(dispatch, ids),
    pointer: pointerIn(dispatch, ids, line),
    unmark: () => dispatch({ type: 'unmark' }),
  }
}

/** Under what the state of a screen's list is kept. */
export const listKeyOf = (screenKey: string): string => `${screenKey} list`

/**
 * Restores the list's state from the last visit, or starts anew for another user.
 */
function useListState<T>({ columns }: ListPlan<T>): readonly [ListState, Dispatch<ListAction>] {
  const { places } = useShell()
  const screenKey = useScreenKey()
  const key = columns ? listKeyOf(screenKey) : `${screenKey} menu`
  const [state, dispatch] = useReducer(listReducer, places.get(key), (kept) => (kept as ListState) ?? emptyList)
  const before = useRef(places)
  useEffect(() => {
    if (before.current !== places) dispatch({ type: 'start-anew' })
    before.current = places
  }, [places])
  useEffect(() => void places.set(key, { ...state, isTyping: false }), [places, key, state])
  return [state, dispatch]
}

interface Greeted {
  readonly created: string | undefined
  readonly state: ListState
  /** The list holds it, whether a filter hides it or not. */
  readonly isListed: boolean
  readonly ids: readonly string[]
}

/** Selects a new item once it is listed. */
function useGreeting({ created, state, isListed, ids }: Greeted, dispatch: Dispatch<ListAction>): void {
  const isNew = created !== undefined && created !== state.greeted && isListed
  const isHidden = isNew && !ids.includes(created)
  useEffect(() => {
    if (isNew) dispatch({ type: 'greet', id: created, isHidden })
  }, [isNew, isHidden, created, dispatch])
}

/**
 * Whether an item may be selected for the user. Not in a menu, or in a live list before the user moves: there the first
 * line counts, whatever comes to stand in it. Not while the rows are still those of the previous filter.
 */
function canBegin<T>({ columns, isLive, isAnswerTo }: ListPlan<T>, { isInitial, filter }: ListState): boolean {
  if (!columns || (isLive && isInitial)) return false
  return isAnswerTo?.(filter) ?? true
}

interface Shown<T> {
  readonly items: readonly T[]
  /** The part of the filter that is not about single columns. */
  readonly typed: string
}

/** The items that match the filter. Sorted by a column they keep that order, otherwise the best matches come first. */
function useShown<T>({ items, textOf, restOf, columns = none }: ListPlan<T>, { filter, sort }: ListState): Shown<T> {
  const text = restOf ? restOf(filter) : filter
  // A long list would make each text anew for every letter that is typed.
  const rememberedText = useMemo(() => remembered(items, textOf), [items, textOf])
  const isWhole = restOf === undefined
  useEffect(() => (isWhole ? lookAhead(items, rememberedText) : undefined), [isWhole, items, rememberedText])
  const by = sort && columns[sort.column]
  const isDown = sort?.isDown ?? false
  return useMemo(() => {
    const wanted = parseFilter(text, columns)
    const found = rankRows(
      items.filter((item) => matchesFields(item, wanted, columns)),
      rememberedText,
      wanted.phrase,
    )
    return { items: by ? sortedBy(found, by, isDown) : found, typed: wanted.phrase }
  }, [items, rememberedText, columns, text, by, isDown])
}

/** The text of each item, made when it is first asked for. */
function remembered<T>(items: readonly T[], textOf: (item: T) => string): (item: T) => SearchedText {
  const texts = new Map<T, SearchedText>()
  return (item) => {
    const text = texts.get(item) ?? searchedText(textOf(item))
    if (texts.size < items.length) texts.set(item, text)
    return text
  }
}

const typingOf = (dispatch: Dispatch<ListAction>, ids: readonly string[]): ListControl<unknown>['typing'] => ({
  onChange: (text) => dispatch({ type: 'set-filter', text }),
  intents: {
    keep: () => dispatch({ type: 'keep-filter', ids }),
    cancel: () => dispatch({ type: 'clear-filter' }),
  },
})

const aboutSelected: readonly Intent[] = [...keyGroups.selection, ...keyGroups.move, ...keyGroups.marks].map(
  ({ intent }) => intent,
)

interface IdleFacts {
  readonly count: number
  readonly acts: readonly Intent[]
}

/** While a filter is typed, other keys apply. A filter without matches can still be removed. */
function idleIn({ filter, isTyping }: ListState, { count, acts }: IdleFacts): ReadonlySet<Intent> {
  if (count > 0 || isTyping) return new Set()
  return new Set([...aboutSelected, ...acts, ...(filter === '' ? keyGroups.find.map(({ intent }) => intent) : [])])
}

function movesOf(dispatch: Dispatch<ListAction>, ids: readonly string[], height: number): Intents {
  const move = (by: number) => () => dispatch({ type: 'move', by, ids })
  return {
    up: move(-1),
    down: move(1),
    'page-up': move(-height),
    'page-down': move(height),
    first: move(-ids.length),
    last: move(ids.length),
    'next-match': () => dispatch({ type: 'wrap', by: 1, ids }),
    'previous-match': () => dispatch({ type: 'wrap', by: -1, ids }),
  }
}

const pointerIn = (dispatch: Dispatch<ListAction>, ids: readonly string[], line: number): ListPointer => ({
  select: (wanted) => dispatch({ type: 'move', by: wanted - line, ids }),
  move: (by) => dispatch({ type: 'move', by, ids }),
})

const marksIn = (dispatch: Dispatch<ListAction>, ids: readonly string[]): Intents => ({
  mark: () => dispatch({ type: 'mark', ids }),
  'mark-range': () => dispatch({ type: 'mark-range', ids }),
  'mark-all': () => dispatch({ type: 'mark-all', ids }),
  'mark-others': () => dispatch({ type: 'mark-others', ids }),
})

function sortsOf<T>(dispatch: Dispatch<ListAction>, columns: readonly Column<T>[]): Intents {
  // The list cannot be sorted by a column without a title, since nothing would show it.
  const named = columns.findIndex(({ title }) => title === '')
  const count = named < 0 ? columns.length : named
  return {
    sort: () => dispatch({ type: 'sort', columns: count }),
    'turn-sort': () => dispatch({ type: 'turn-sort' }),
  }
}
