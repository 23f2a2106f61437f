import { setTimeout as sleep } from 'node:timers/promises'

/** Rejects when the signal is aborted, before or meanwhile. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted())
}
