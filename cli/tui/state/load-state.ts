import { isRefusal, type ShownError } from '../text/shown-error.ts'

/** Data read from the service. The last good answer stays during a reload. */
export interface LoadState<T> {
  readonly turn: number
  /** The user that the data was read for. */
  readonly owner?: string | undefined
  readonly isLoading: boolean
  readonly data: T | undefined
  /** Time of the read, in milliseconds since 1970. */
  readonly asOf?: number
  readonly shownError: ShownError | undefined
}

export type LoadAction<T> =
  | { readonly type: 'start'; readonly turn: number; readonly owner?: string | undefined; readonly isQuiet?: boolean }
  | { readonly type: 'done'; readonly turn: number; readonly data: T; readonly asOf?: number }
  | { readonly type: 'failed'; readonly turn: number; readonly shownError: ShownError }

export const notLoaded: LoadState<never> = { turn: 0, isLoading: true, data: undefined, shownError: undefined }

/**
 * Ignores answers to outdated reads. Data stays when the service does not answer, and goes when the service refuses it.
 * `isQuiet` marks a background read.
 */
export function loadReducer<T>(state: LoadState<T>, action: LoadAction<T>): LoadState<T> {
  if (action.type === 'start') return started(stateForOwner(action.owner, state), action)
  if (action.turn !== state.turn) return state
  const { turn, owner } = state
  if (action.type === 'done') {
    const { data, asOf } = action
    return { turn, owner, isLoading: false, data, shownError: undefined, ...(asOf === undefined ? {} : { asOf }) }
  }
  const { shownError } = action
  return isRefusal(shownError)
    ? { turn, owner, isLoading: false, data: undefined, shownError }
    : { ...state, isLoading: false, shownError }
}

const started = <T>(
  state: LoadState<T>,
  { turn, owner, isQuiet }: Extract<LoadAction<T>, { type: 'start' }>,
): LoadState<T> => ({ ...state, turn, owner, isLoading: !isQuiet || state.isLoading })

/** Data read for one user is never shown to another. */
export const stateForOwner = <T>(owner: string | undefined, state: LoadState<T>): LoadState<T> =>
  state.owner === undefined || state.owner === owner ? state : { ...notLoaded, turn: state.turn }
