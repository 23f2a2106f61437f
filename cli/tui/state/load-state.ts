import type { ShownError } from '../text/shown-error.ts'

/** Data read from the service; the last good answer stays while it is read again. */
export interface LoadState<T> {
  readonly turn: number
  readonly isLoading: boolean
  readonly data: T | undefined
  readonly shownError: ShownError | undefined
}

export type LoadAction<T> =
  | { readonly type: 'start'; readonly turn: number }
  | { readonly type: 'done'; readonly turn: number; readonly data: T }
  | { readonly type: 'failed'; readonly turn: number; readonly shownError: ShownError }

export const notLoaded: LoadState<never> = { turn: 0, isLoading: true, data: undefined, shownError: undefined }

/** An answer of an earlier turn than the current one came too late. */
export function loadReducer<T>(state: LoadState<T>, action: LoadAction<T>): LoadState<T> {
  if (action.type === 'start') return { ...state, turn: action.turn, isLoading: true }
  if (action.turn !== state.turn) return state
  return action.type === 'done'
    ? { turn: state.turn, isLoading: false, data: action.data, shownError: undefined }
    : { ...state, isLoading: false, shownError: action.shownError }
}
