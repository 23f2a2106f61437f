import { EventEmitter, once } from 'node:events'
import { useStdin } from 'ink'
import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import type { AuditEventView } from '../../../shared/audit.ts'
import type { FetchEvents } from '../../flows/audit/events.ts'
import { followEvents } from '../../flows/audit/list.ts'
import { eventPart, type Trail } from '../../flows/audit/trail.ts'
import { pageSize } from '../../flows/paged.ts'
import type { AppStore } from '../state/app-store.ts'
import { runAtBeats } from '../state/beat.ts'
import type { LoadState } from '../state/load-state.ts'
import type { PagedList, PagedRows } from '../state/paged-list.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { type Pages, usePages } from './use-pages.ts'
import { useAppState, useShell } from './use-shell.ts'

interface TrailState {
  readonly loaded: LoadState<PagedRows<AuditEventView>>
  readonly pages: Pages
  /** The service does not answer at the moment. */
  readonly isOut: boolean
}

/** The events of a trail, newest first, followed live while `goesOn` is true. It resumes where it paused. */
export function useTrail(trail: Trail, goesOn: boolean): TrailState {
  const { loaded, pages, list, show } = usePages(trail, { isStill: true })
  const { connection, revision } = useAppState()
  const { store } = useShell()
  const [isOut, setOut] = useState(false)
  const whenWatched = useGate(goesOn)
  const { values } = pages.narrowing
  useEffect(() => {
    if (!connection) return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    const following = {
      first: String(pageSize),
      pause: (milliseconds: number) => store.ports.pause(milliseconds, signal).then(() => whenWatched(signal)),
      onOutage: (fault: Error | undefined) => void (signal.aborted || setOut(fault !== undefined)),
    }
    const follow = async () => {
      await whenWatched(signal)
      const fetch = await trail.fetch({ signedIn: async () => connection.quiet, now: Date.now }, values)
      for await (const newer of followEvents(fetchInto(list, fetch, store), following)) {
        if (signal.aborted) return
        await list.takeNewer(newer.toReversed())
        show()
      }
    }
    // The list itself reports a failure. It is followed again at the next beat.
    const attempt = () => follow().catch(() => {})
    void attempt().then(() => runAtBeats(store, signal, attempt))
    return () => leaving.abort()
  }, [connection, revision, list, trail, values, store, show, whenWatched])
  return { loaded, pages, isOut }
}

/** Keeps what was read before when the start is read again. Events between the two are read as after a change. */
const fetchInto =
  (list: PagedList<AuditEventView>, fetch: FetchEvents, store: AppStore): FetchEvents =>
  async (query) => {
    const page = await fetch(query)
    if (query.after === undefined && !(await list.takeStart(eventPart(page)))) store.refresh()
    return page
  }

/** Returns a function that waits until `isOpen` is true and the terminal has the focus. */
function useGate(isOpen: boolean): (signal: AbortSignal) => Promise<void> {
  const { stdin } = useStdin()
  const [gate] = useState(() => new Gate())
  // In the commit itself, so that no request is sent after the screen shows that following has stopped.
  useLayoutEffect(() => gate.set(isOpen), [gate, isOpen])
  return useCallback(
    async (signal) => {
      await gate.whenOpen(signal)
      if (stdin instanceof Keyboard) await stdin.whenFocused(signal)
    },
    [gate, stdin],
  )
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
