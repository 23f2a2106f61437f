export type Close = () => unknown
export type OnOpened = (close: Close) => void

/**
 * When `start` fails, closes what it had opened, the last first, whichever of those fails too, and throws its error.
 */
export async function openOrClose<T>(start: (onOpened: OnOpened) => Promise<T>): Promise<T> {
  const opened: Close[] = []
  try {
    return await start((close) => void opened.unshift(close))
  } catch (error) {
    for (const close of opened) {
      try {
        await close()
      } catch {
        // Why the start failed is what the operator can mend.
      }
    }
    throw error
  }
}
