/** Where a person is in a list. The selection is a thing, not a line: it stays when the list is read again. */
export interface ListState {
  readonly selected: string | undefined
  /** Its line, for when the thing is gone. */
  readonly index: number
  readonly marks: ReadonlySet<string>
  readonly filter: string
  readonly isTyping: boolean
}

export type ListAction =
  | { readonly type: 'move'; readonly by: number; readonly ids: readonly string[] }
  | { readonly type: 'wrap'; readonly by: 1 | -1; readonly ids: readonly string[] }
  | { readonly type: 'mark'; readonly ids: readonly string[] }
  | { readonly type: 'unmark' }
  | { readonly type: 'type-filter' }
  | { readonly type: 'set-filter'; readonly text: string }
  | { readonly type: 'keep-filter' }
  | { readonly type: 'clear-filter' }

export const emptyList: ListState = { selected: undefined, index: 0, marks: new Set(), filter: '', isTyping: false }

export function listReducer(state: ListState, action: ListAction): ListState {
  switch (action.type) {
    case 'move':
      return select(state, clamp(selectedLine(state, action.ids) + action.by, action.ids.length), action.ids)
    case 'wrap':
      return select(state, wrap(selectedLine(state, action.ids) + action.by, action.ids.length), action.ids)
    case 'mark':
      return markLine(state, action.ids)
    case 'unmark':
      return { ...state, marks: new Set() }
    case 'type-filter':
      return { ...state, isTyping: true }
    case 'set-filter':
      return { ...state, filter: action.text }
    case 'keep-filter':
      return { ...state, isTyping: false }
    case 'clear-filter':
      return { ...state, isTyping: false, filter: '' }
  }
}

/** The line of the selection among the ids that are there now. */
export function selectedLine({ selected, index }: ListState, ids: readonly string[]): number {
  const found = selected === undefined ? -1 : ids.indexOf(selected)
  return found >= 0 ? found : clamp(index, ids.length)
}

/** The marked things that are still there, else the selected one. */
export function chosenOf(state: ListState, ids: readonly string[]): readonly string[] {
  const marked = ids.filter((id) => state.marks.has(id))
  return marked.length > 0 ? marked : ids.slice(selectedLine(state, ids)).slice(0, 1)
}

const select = (state: ListState, index: number, ids: readonly string[]): ListState => ({
  ...state,
  index,
  selected: ids[index],
})

/** Marks or unmarks the selected line, and goes to the next one. */
function markLine(state: ListState, ids: readonly string[]): ListState {
  const line = selectedLine(state, ids)
  const id = ids[line]
  if (id === undefined) return state
  const marks = new Set(state.marks)
  if (!marks.delete(id)) marks.add(id)
  return { ...select(state, clamp(line + 1, ids.length), ids), marks }
}

const clamp = (line: number, count: number): number => Math.max(0, Math.min(line, count - 1))
const wrap = (line: number, count: number): number => (count === 0 ? 0 : (line + count) % count)

/** First line of a window of that height which shows the selected line, in its middle where there is room. */
export const windowStart = (line: number, height: number, count: number): number =>
  Math.max(0, Math.min(line - Math.floor(height / 2), count - height))
