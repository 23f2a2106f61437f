/** The user's position in a list. The selection is an item, not a line, so it survives a reload. */
export interface ListState {
  readonly selected: string | undefined
  /** The selection is where the list began: nobody has chosen it. */
  readonly isInitial: boolean
  /** The line of the selection, used when the item is gone. */
  readonly index: number
  readonly marks: ReadonlySet<string>
  /** Where a range of marks begins. It extends to the selection. */
  readonly anchor: string | undefined
  readonly filter: string
  readonly isTyping: boolean
  /** Undefined keeps the service's order. */
  readonly sort: ListSort | undefined
  /** Id of the new item that was selected automatically, which happens only once. */
  readonly greeted: string | undefined
}

export interface ListSort {
  readonly column: number
  readonly isDown: boolean
}

export type ListAction =
  | { readonly type: 'begin'; readonly ids: readonly string[] }
  | { readonly type: 'move'; readonly by: number; readonly ids: readonly string[] }
  | { readonly type: 'wrap'; readonly by: 1 | -1; readonly ids: readonly string[] }
  | { readonly type: 'mark'; readonly ids: readonly string[] }
  | { readonly type: 'mark-range'; readonly ids: readonly string[] }
  | { readonly type: 'mark-all'; readonly ids: readonly string[] }
  | { readonly type: 'mark-others'; readonly ids: readonly string[] }
  | { readonly type: 'unmark' }
  | { readonly type: 'greet'; readonly id: string; readonly isHidden: boolean }
  | { readonly type: 'type-filter' }
  | { readonly type: 'set-filter'; readonly text: string }
  | { readonly type: 'keep-filter'; readonly ids: readonly string[] }
  | { readonly type: 'clear-filter' }
  | { readonly type: 'sort'; readonly columns: number }
  | { readonly type: 'turn-sort' }
  | { readonly type: 'start-anew' }

export const emptyList: ListState = {
  selected: undefined,
  isInitial: true,
  index: 0,
  marks: new Set(),
  anchor: undefined,
  filter: '',
  isTyping: false,
  sort: undefined,
  greeted: undefined,
}

type Change<T extends ListAction['type']> = (
  state: ListState,
  action: Extract<ListAction, { readonly type: T }>,
) => ListState

const changes: { readonly [T in ListAction['type']]: Change<T> } = {
  begin: (state, { ids }) => ({ ...select(state, selectedLine(state, ids), ids), isInitial: state.isInitial }),
  move: (state, { by, ids }) => select(state, clamp(selectedLine(state, ids) + by, ids.length), ids),
  wrap: (state, { by, ids }) => select(state, wrap(selectedLine(state, ids) + by, ids.length), ids),
  mark: (state, { ids }) => (state.anchor === undefined ? markLine(state, ids) : markRange(state, ids)),
  'mark-range': (state, { ids }) => markRange(state, ids),
  'mark-all': (state, { ids }) => {
    const isAll = ids.every((id) => state.marks.has(id))
    return { ...state, anchor: undefined, marks: new Set([...hiddenMarks(state, ids), ...(isAll ? [] : ids)]) }
  },
  'mark-others': (state, { ids }) => {
    const marked = marksOf(state, ids)
    const others = ids.filter((id) => !marked.has(id))
    return { ...state, anchor: undefined, marks: new Set([...hiddenMarks(state, ids), ...others]) }
  },
  unmark: (state) => ({ ...state, anchor: undefined, marks: new Set() }),
  // A filter that hides what was just made is over: otherwise nobody sees it.
  greet: (state, { id, isHidden }) => ({
    ...state,
    selected: id,
    isInitial: false,
    greeted: id,
    filter: isHidden ? '' : state.filter,
  }),
  'type-filter': (state) => ({ ...state, isTyping: true }),
  // If the selected item does not match or nobody chose it, the best match is selected.
  'set-filter': (state, { text }) => ({
    ...state,
    filter: text,
    index: 0,
    selected: state.isInitial ? undefined : state.selected,
  }),
  'keep-filter': (state, { ids }) => ({ ...select(state, selectedLine(state, ids), ids), isTyping: false }),
  'clear-filter': (state) => ({ ...state, isTyping: false, filter: '' }),
  sort: (state, { columns }) => ({ ...state, sort: nextSort(state.sort, columns) }),
  'turn-sort': (state) => ({ ...state, sort: { column: state.sort?.column ?? 0, isDown: !state.sort?.isDown } }),
  'start-anew': () => emptyList,
}

export const listReducer = <T extends ListAction['type']>(
  state: ListState,
  action: Extract<ListAction, { readonly type: T }>,
): ListState => (changes[action.type] as Change<T>)(state, action)

/** The line of the selection in the current list. */
export function selectedLine({ selected, index }: ListState, ids: readonly string[]): number {
  const found = selected === undefined ? -1 : ids.indexOf(selected)
  return found >= 0 ? found : clamp(index, ids.length)
}

/**
 * Whether the item at the cursor has to be selected, because none is or it has gone: before a redraw can put another one
 * under the user's keys. While a filter is typed, it is the best match of the moment.
 */
export const isToBegin = ({ selected, filter, isTyping }: ListState, ids: readonly string[]): boolean =>
  !(isTyping && filter !== '') && ids.length > 0 && (selected === undefined || !ids.includes(selected))

/** The marks, including the range being marked. */
export function marksOf(state: ListState, ids: readonly string[]): ReadonlySet<string> {
  const from = state.anchor === undefined ? -1 : ids.indexOf(state.anchor)
  if (from < 0) return state.marks
  const to = selectedLine(state, ids)
  return new Set([...state.marks, ...ids.slice(Math.min(from, to), Math.max(from, to) + 1)])
}

/** The marked items of a list that still exist, even those that a filter hides from `ids`. */
export function markedAmong(state: ListState, ids: readonly string[], all: readonly string[]): readonly string[] {
  const marks = marksOf(state, ids)
  return marks.size > 0 ? all.filter((id) => marks.has(id)) : []
}

/** Those, otherwise the selected one. */
export function chosenOrSelected(state: ListState, ids: readonly string[], all = ids): readonly string[] {
  const marked = markedAmong(state, ids, all)
  return marked.length > 0 ? marked : ids.slice(selectedLine(state, ids)).slice(0, 1)
}

function hiddenMarks({ marks }: ListState, ids: readonly string[]): readonly string[] {
  const shown = new Set(ids)
  return [...marks].filter((id) => !shown.has(id))
}

const select = (state: ListState, index: number, ids: readonly string[]): ListState => ({
  ...state,
  index,
  selected: ids[index],
  isInitial: false,
})

/** Toggles the mark of the selected line and moves to the next. */
function markLine(state: ListState, ids: readonly string[]): ListState {
  const line = selectedLine(state, ids)
  const id = ids[line]
  if (id === undefined) return state
  const marks = new Set(state.marks)
  if (!marks.delete(id)) marks.add(id)
  return { ...select(state, clamp(line + 1, ids.length), ids), marks }
}

/** Begins a range at the selected line, or marks the range that was begun. */
function markRange(state: ListState, ids: readonly string[]): ListState {
  if (state.anchor !== undefined) return { ...state, marks: marksOf(state, ids), anchor: undefined }
  const line = selectedLine(state, ids)
  return { ...select(state, line, ids), anchor: ids[line] }
}

/** Sorts by the next column, ascending. After the last column, restores the service's order. */
function nextSort(sort: ListSort | undefined, columns: number): ListSort | undefined {
  const column = sort ? sort.column + 1 : 0
  return column < columns ? { column, isDown: false } : undefined
}

const clamp = (line: number, count: number): number => Math.max(0, Math.min(line, count - 1))
const wrap = (line: number, count: number): number => (count === 0 ? 0 : (line + count) % count)

/** The first line of a window of that height, which keeps the selected line in its middle if possible. */
export const windowStart = (line: number, height: number, count: number): number =>
  Math.max(0, Math.min(line - Math.floor(height / 2), count - height))
