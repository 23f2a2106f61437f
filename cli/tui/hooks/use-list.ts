import { useReducer } from 'react'
import {
  chosenOf,
  emptyList,
  type ListAction,
  type ListState,
  listReducer,
  selectedLine,
  windowStart,
} from '../state/list-state.ts'
import type { Intents } from './use-bindings.ts'
import { useShell } from './use-shell.ts'

export interface ListPlan<T> {
  readonly items: readonly T[]
  readonly idOf: (item: T) => string
  /** What a filter looks into. */
  readonly textOf: (item: T) => string
  /** Lines of the window. */
  readonly height: number
}

export interface ListControl<T> {
  readonly state: ListState
  /** All that pass the filter. */
  readonly items: readonly T[]
  readonly start: number
  readonly line: number
  readonly selected: T | undefined
  /** The marked ones, else the selected one. */
  readonly chosen: readonly T[]
  readonly intents: Intents
  readonly typing: { readonly onChange: (text: string) => void; readonly intents: Intents }
  readonly unmark: () => void
}

/** Selection, marks, filter and window of a list, with the intents that move in it. */
export function useList<T>({ items, idOf, textOf, height }: ListPlan<T>): ListControl<T> {
  const { back } = useShell()
  const [state, dispatch] = useReducer(listReducer, emptyList)
  const wanted = state.filter.toLowerCase()
  const shown = wanted ? items.filter((item) => textOf(item).toLowerCase().includes(wanted)) : items
  const ids = shown.map(idOf)
  const line = selectedLine(state, ids)
  const chosenIds = new Set(chosenOf(state, ids))
  const leave = () => {
    if (state.filter) dispatch({ type: 'clear-filter' })
    else if (state.marks.size > 0) dispatch({ type: 'unmark' })
    else back()
  }
  return {
    state,
    items: shown,
    start: windowStart(line, height, ids.length),
    line,
    selected: shown[line],
    chosen: shown.filter((item) => chosenIds.has(idOf(item))),
    intents: { ...movesOf(dispatch, ids, height), back: leave },
    typing: {
      onChange: (text) => dispatch({ type: 'set-filter', text }),
      intents: {
        keep: () => dispatch({ type: 'keep-filter' }),
        cancel: () => dispatch({ type: 'clear-filter' }),
      },
    },
    unmark: () => dispatch({ type: 'unmark' }),
  }
}

function movesOf(dispatch: (action: ListAction) => void, ids: readonly string[], height: number): Intents {
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
    mark: () => dispatch({ type: 'mark', ids }),
    filter: () => dispatch({ type: 'type-filter' }),
  }
}
