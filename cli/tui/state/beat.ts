/** Milliseconds between two refreshes of the screen, unless a change was seen. */
const beatTime = 30_000

interface BeatSource {
  readonly state: { readonly beat: number }
  readonly subscribe: (listener: () => void) => () => void
}

interface PollSnapshot {
  readonly me: unknown
  readonly organizations: unknown
  readonly shownError: unknown
  readonly stale: unknown
}

/** Whether the screen has to refresh after a poll. */
export function isRefreshDue(before: PollSnapshot, after: PollSnapshot, sinceLast: number): boolean {
  if (after.shownError) return false
  const isBack = before.shownError !== undefined || before.stale !== undefined
  return isBack || after.me !== before.me || after.organizations !== before.organizations || sinceLast >= beatTime
}

/** Runs `act` at every beat that comes while it is not running, until the signal is aborted. */
export async function runAtBeats(store: BeatSource, signal: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  while (await isNextBeat(store, signal)) await act()
}

/** Waits for the next beat. False when the signal is aborted first. */
const isNextBeat = (store: BeatSource, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const { beat } = store.state
    const look = () => {
      if (!signal.aborted && store.state.beat === beat) return
      unsubscribe()
      signal.removeEventListener('abort', look)
      resolve(!signal.aborted)
    }
    const unsubscribe = store.subscribe(look)
    signal.addEventListener('abort', look)
    look()
  })
