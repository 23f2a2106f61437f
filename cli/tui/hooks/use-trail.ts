import { useEffect, useState } from 'react'
import type { AuditEventView } from '../../../shared/audit.ts'
import { followEvents } from '../../flows/audit/follow.ts'
import { pause } from '../../flows/device/poll.ts'
import type { Trail } from '../state/shell-state.ts'
import { type ShownError, toShownError } from '../text/shown-error.ts'
import { useAppState } from './use-app-state.ts'

interface TrailState {
  /** Newest first; undefined: not read yet. */
  readonly events: readonly AuditEventView[] | undefined
  readonly shownError: ShownError | undefined
  /** Nobody answers at the moment. */
  readonly isOut: boolean
}

const notRead: TrailState = { events: undefined, shownError: undefined, isOut: false }

/** As many as a person may scroll through. */
const most = 1000

/** The last events, and as long as they are followed what comes; read again with another connection and after changes. */
export function useTrail({ ask }: Trail, isFollowed: boolean): TrailState {
  const { connection, revision } = useAppState()
  const [state, setState] = useState(notRead)
  useEffect(() => {
    if (!connection) return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    const set = (change: (before: TrailState) => TrailState) => void (signal.aborted || setState(change))
    const read = async () => {
      let isFirst = true
      const following = {
        query: {},
        first: '100',
        pause: (milliseconds: number) => pause(milliseconds, signal),
        onOutage: (fault: Error | undefined) => set((before) => ({ ...before, isOut: fault !== undefined })),
      }
      for await (const events of followEvents(ask(connection), following)) {
        const [newest, isStart] = [events.toReversed(), isFirst]
        isFirst = false
        set(({ events: old = [] }) => ({
          ...notRead,
          events: isStart ? newest : [...newest, ...old].slice(0, most),
        }))
        if (!isFollowed) return
      }
    }
    read().catch((error: unknown) => set((before) => ({ ...before, shownError: toShownError(error) })))
    return () => leaving.abort()
  }, [connection, revision, ask, isFollowed])
  return state
}
