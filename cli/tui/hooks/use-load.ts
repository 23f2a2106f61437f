import { useCallback, useEffect, useReducer, useRef } from 'react'
import type { TuiConnection } from '../ports.ts'
import { type LoadState, loadReducer, notLoaded } from '../state/load-state.ts'
import { toShownError } from '../text/shown-error.ts'
import { useAppState } from './use-app-state.ts'
import { useShell } from './use-shell.ts'

/** Reads with the current connection, again with another one and after changes. `load` must be the same function each time. */
export function useLoad<T>(load: (connection: TuiConnection) => Promise<T>): LoadState<T> {
  const { store } = useShell()
  const { connection, revision, me } = useAppState()
  const isOver = me === null
  const [state, dispatch] = useReducer(loadReducer<T>, notLoaded)
  const turns = useRef(0)
  const reload = useCallback(() => {
    if (!connection || isOver) return
    turns.current += 1
    const turn = turns.current
    dispatch({ type: 'start', turn })
    load(connection).then(
      (data) => dispatch({ type: 'done', turn, data }),
      (error: unknown) => {
        const shownError = toShownError(error)
        dispatch({ type: 'failed', turn, shownError })
        // Known to be over, it would be asked about again and again.
        if (shownError.status === 401 && store.state.me !== null) void store.load()
      },
    )
  }, [connection, isOver, store, load])
  useEffect(reload, [reload, revision])
  return state
}
