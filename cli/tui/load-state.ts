import type { Fault } from './fault.ts'

/** Data read from the service; the last good answer stays while it is read again. */
export interface LoadState<T> {
  readonly turn: number
  readonly isLoading: boolean
  readonly data: T | undefined
  readonly fault: Fault | undefined
}

export type LoadAction<T> =
  | { readonly type: 'start'; readonly turn: number }
  | { readonly type: 'done'; readonly turn: number; readonly data: T }
  | { readonly type: 'failed'; readonly turn: number; readonly fault: Fault }

export const notLoaded: LoadState<never> = { turn: 0, isLoading: true, data: undefined, fault: undefined }

/** An answer of an earlier turn than the current one came too late. */
export function loadReducer<T>(state: LoadState<T>, action: LoadAction<T>): LoadState<T> {
  if (action.type === 'start') return { ...state, turn: action.turn, isLoading: true }
  if (action.turn !== state.turn) return state
  return action.type === 'done'
    ? { turn: state.turn, isLoading: false, data: action.data, fault: undefined }
    : { ...state, isLoading: false, fault: action.fault }
}
