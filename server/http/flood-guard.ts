/** Counts by key within a window, in bounded memory; answers the seconds to wait, or null. */
export type FloodGuard = (key: string, max: number) => number | null

const windowLength = 10_000
/** About 10 MB at most. Beyond it the oldest windows are forgotten first. */
const capacity = 50_000

export function createFloodGuard(now: () => number): FloodGuard {
  // All windows are equally long, so the order of insertion is the order in which they end.
  const windows = new Map<string, { count: number; readonly endsAt: number }>()
  const sweep = (time: number) => {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > time && windows.size < capacity) return
      windows.delete(key)
    }
  }
  return (key, max) => {
    const time = now()
    sweep(time)
    const open = windows.get(key)
    if (!open) {
      windows.set(key, { count: 1, endsAt: time + windowLength })
      return null
    }
    open.count += 1
    return open.count > max ? Math.ceil((open.endsAt - time) / 1000) : null
  }
}
