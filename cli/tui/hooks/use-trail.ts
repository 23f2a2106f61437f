import { EventEmitter, once } from 'node:events'
import { useStdin } from 'ink'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { AuditEventView } from '../../../shared/audit.ts'
import type { FetchEvents } from '../../flows/audit/events.ts'
import { followEvents } from '../../flows/audit/list.ts'
import type { Trail } from '../../flows/resource.ts'
import type { TuiConnection } from '../ports.ts'
import { runAtBeats } from '../state/beat.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { type ShownError, toShownError } from '../text/shown-error.ts'
import { useAppState, useShell } from './use-shell.ts'

interface TrailState {
  /** Newest first. Undefined while loading. */
  readonly events: readonly AuditEventView[] | undefined
  readonly shownError: ShownError | undefined
  /** The service does not answer at the moment. */
  readonly isOut: boolean
}

const notRead: TrailState = { events: undefined, shownError: undefined, isOut: false }

/** The most events that a list holds. */
const maxEvents = 1000

/**
 * The latest events of a trail, followed live while `goesOn` is true. It resumes where it paused. Reads again when the
 * connection or data changed, and after a failure at the next beat.
 */
export function useTrail({ ask }: Trail, goesOn: boolean): TrailState {
  const { connection, revision } = useAppState()
  const { store } = useShell()
  const { pause } = store.ports
  const { stdin } = useStdin()
  const [state, setState] = useState(notRead)
  const [gate] = useState(() => new Gate())
  // In the commit itself, so that no request is sent after the screen shows that following has stopped.
  useLayoutEffect(() => gate.set(goesOn), [gate, goesOn])
  useEffect(() => {
    if (!connection) return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    const set = (change: (before: TrailState) => TrailState) => void (signal.aborted || setState(change))
    const read = async (asked: FetchEvents) => {
      let known: readonly AuditEventView[] = []
      const following = {
        first: '100',
        pause: async (milliseconds: number) => {
          await pause(milliseconds, signal)
          await gate.whenOpen(signal)
          if (stdin instanceof Keyboard) await stdin.whenFocused(signal)
        },
        onOutage: (fault: Error | undefined) => set((before) => ({ ...before, isOut: fault !== undefined })),
      }
      for await (const newer of followEvents(asked, following)) {
        const events = mergeEvents(newer.toReversed(), known)
        known = events
        set(() => ({ ...notRead, events }))
      }
    }
    const fail = (error: unknown) => set((before) => ({ ...before, shownError: toShownError(error) }))
    const readAgain = () => read(ask(connection.quiet)).catch(fail)
    const first = logFirstOnly(ask, connection)
    void read((query) => (query.after === undefined ? store.reads.during(() => first(query)) : first(query)))
      .catch(fail)
      .then(() => runAtBeats(store, signal, readAgain))
    return () => leaving.abort()
  }, [connection, revision, ask, stdin, store, pause, gate])
  return state
}

/** An event is sent again when its count of equal actions grows, and replaces the old one in its place. */
function mergeEvents(newest: readonly AuditEventView[], old: readonly AuditEventView[]): readonly AuditEventView[] {
  const again = new Map(newest.map((event) => [event.id, event]))
  const kept = old.map((event) => again.get(event.id) ?? event)
  const known = new Set(old.map(({ id }) => id))
  return [...newest.filter(({ id }) => !known.has(id)), ...kept].slice(0, maxEvents)
}

/**
 * The user opened the list, so its first request is logged. Later requests come from following and stay out of the log.
 */
function logFirstOnly(ask: Trail['ask'], connection: TuiConnection): FetchEvents {
  const [told, untold] = [ask(connection), ask(connection.quiet)]
  return (query) => (query.after === undefined ? told(query) : untold(query))
}

/** Lets work wait while it is closed, for example while the user looks elsewhere. */
class Gate {
  #isOpen = true
  readonly #turns = new EventEmitter()

  set(isOpen: boolean): void {
    this.#isOpen = isOpen
    if (isOpen) this.#turns.emit('open')
  }

  /** Resolves at once, or as soon as the gate opens. Rejects when the signal is aborted. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.#isOpen) await once(this.#turns, 'open', { signal })
  }
}
