/** What is on the screen is read again no more often, unless something is seen to have changed. In milliseconds. */
const beatTime = 30_000

interface Beating {
  readonly state: { readonly beat: number }
  readonly subscribe: (listener: () => void) => () => void
}

interface Seen {
  readonly me: unknown
  readonly organizations: unknown
  readonly shownError: unknown
  readonly stale: unknown
}

/** Whether after a poll what is on the screen has to be read again. */
export function isBeat(before: Seen, after: Seen, sinceLast: number): boolean {
  if (after.shownError) return false
  const isBack = before.shownError !== undefined || before.stale !== undefined
  return isBack || after.me !== before.me || after.organizations !== before.organizations || sinceLast >= beatTime
}

/** Does it at the next beat, and at each that comes when it is done, until the signal is aborted. */
export async function atBeats(store: Beating, signal: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  while (await isNextBeat(store, signal)) await act()
}

/** Waits for the next beat; false: the signal was aborted before. */
const isNextBeat = (store: Beating, signal: AbortSignal): Promise<boolean> =>
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
