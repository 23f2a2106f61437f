import { useCallback, useContext, useEffect, useReducer, useRef } from 'react'
import type { TuiConnection } from '../ports.ts'
import { ownerOf } from '../state/app-state.ts'
import { type LoadState, loadReducer, notLoaded, stateForOwner } from '../state/load-state.ts'
import { toShownError } from '../text/shown-error.ts'
import { useAppState, useShell } from './use-shell.ts'
import { TopScreenContext } from './use-top-screen.ts'

/**
 * Loads data with the current connection. Loads again when the connection or the data changed, and at every beat while
 * the screen is on top. `load` must be the same function each time. Another value of `asked` loads again too.
 */
export function useLoad<T>(load: (connection: TuiConnection) => Promise<T>, asked = 0): LoadState<T> {
  const { store } = useShell()
  const app = useAppState()
  const { connection, revision, me, beat } = app
  const owner = ownerOf(app)
  const isOnTop = useContext(TopScreenContext)
  const isOver = me === null
  const [state, dispatch] = useReducer(loadReducer<T>, notLoaded)
  const turns = useRef(0)
  const beatRead = useRef(beat)
  const read = useCallback(
    (isQuiet: boolean) => {
      if (!connection || isOver) return
      turns.current += 1
      const turn = turns.current
      dispatch({ type: 'start', turn, owner, isQuiet })
      const answer = isQuiet
        ? load(connection.quiet)
        : store.activity.during(() => store.reads.during(() => load(connection)))
      answer.then(
        (data) => dispatch({ type: 'done', turn, data, asOf: Date.now() }),
        async (error: unknown) => {
          const shownError = toShownError(error)
          // If the session is over, the screen says that instead. Once it is known to be, asking again would loop.
          if (shownError.status === 401 && store.state.me !== null) await store.checkSession()
          dispatch({ type: 'failed', turn, shownError })
        },
      )
    },
    [connection, isOver, store, load, owner],
  )
  useEffect(() => read(false), [read, revision, asked])
  useEffect(() => {
    if (!isOnTop || beatRead.current === beat) return
    beatRead.current = beat
    read(true)
  }, [beat, isOnTop, read])
  const shown = stateForOwner(owner, state)
  useStale(shown, isOnTop)
  return shown
}

/** Makes the frame report that the top screen could not be refreshed. */
function useStale<T>({ data, shownError, asOf }: LoadState<T>, isOnTop: boolean): void {
  const { store } = useShell()
  useEffect(() => {
    if (!isOnTop || data === undefined || !shownError || asOf === undefined) return undefined
    return store.noteStale({ shownError, asOf })
  }, [store, isOnTop, data, shownError, asOf])
}
