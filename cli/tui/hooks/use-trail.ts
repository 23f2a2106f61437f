import { EventEmitter, once } from 'node:events'
import { useStdin } from 'ink'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { AuditEventView } from '../../../shared/audit.ts'
import type { AskEvents } from '../../flows/audit/events.ts'
import { followEvents } from '../../flows/audit/list.ts'
import type { Trail } from '../../flows/resource.ts'
import type { TuiConnection } from '../ports.ts'
import { atBeats } from '../state/beat.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { type ShownError, toShownError } from '../text/shown-error.ts'
import { useAppState, useShell } from './use-shell.ts'

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

/**
 * The last events, and what comes as long as it goes on; else it waits, and later goes on from where it was. Read again with
 * another connection, after changes, and at the next beat where it failed.
 */
export function useTrail({ ask }: Trail, goesOn: boolean): TrailState {
  const { connection, revision } = useAppState()
  const { store } = useShell()
  const { pause } = store.ports
  const { stdin } = useStdin()
  const [state, setState] = useState(notRead)
  const [gate] = useState(() => new Gate())
  // In the commit itself: what is seen to have stopped asks nothing more.
  useLayoutEffect(() => gate.set(goesOn), [gate, goesOn])
  useEffect(() => {
    if (!connection) return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    const set = (change: (before: TrailState) => TrailState) => void (signal.aborted || setState(change))
    const read = async (asked: AskEvents) => {
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
        const events = joined(newer.toReversed(), known)
        known = events
        set(() => ({ ...notRead, events }))
      }
    }
    const fail = (error: unknown) => set((before) => ({ ...before, shownError: toShownError(error) }))
    const readAgain = () => read(ask(connection.quiet)).catch(fail)
    void read(thenQuietly(ask, connection))
      .catch(fail)
      .then(() => atBeats(store, signal, readAgain))
    return () => leaving.abort()
  }, [connection, revision, ask, stdin, store, pause, gate])
  return state
}

/** An event that counts one more equal act comes again: it takes the place that it has. */
function joined(newest: readonly AuditEventView[], old: readonly AuditEventView[]): readonly AuditEventView[] {
  const again = new Map(newest.map((event) => [event.id, event]))
  const kept = old.map((event) => again.get(event.id) ?? event)
  const known = new Set(old.map(({ id }) => id))
  return [...newest.filter(({ id }) => !known.has(id)), ...kept].slice(0, most)
}

/** The list was asked for by a key; the questions that follow it by nobody, so they stay out of the log of requests. */
function thenQuietly(ask: Trail['ask'], connection: TuiConnection): AskEvents {
  const [told, untold] = [ask(connection), ask(connection.quiet)]
  return (query) => (query.after === undefined ? told(query) : untold(query))
}

/** What is to go on only while it is open, such as while somebody looks, waits here. */
class Gate {
  #isOpen = true
  readonly #turns = new EventEmitter()

  set(isOpen: boolean): void {
    this.#isOpen = isOpen
    if (isOpen) this.#turns.emit('open')
  }

  /** At once while it is open, else when it is again. Rejects when the signal is aborted. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.#isOpen) await once(this.#turns, 'open', { signal })
  }
}
