import { setTimeout as sleep } from 'node:timers/promises'

/** What a person does in a browser while a flow waits for it. */
export interface BrowserTask {
  /** Title: `Sign in with a browser`. */
  readonly title: string
  readonly url: string
  /** The code to type there; undefined if the address contains it. */
  readonly code?: string | undefined
  /** Set if a page was opened on this machine. `code`: filled in on that page. */
  readonly opened?: { readonly code?: string | undefined } | undefined
  /** The deadline, in milliseconds since 1970. */
  readonly until: number
  /** Whether to show a QR code where space is short. */
  readonly hasPicture?: boolean
  /** Whether it can be resumed after an interruption. */
  readonly isKept?: boolean
}

export interface Waiting {
  /** Aborted when the person gives up. */
  readonly signal: AbortSignal
  /** Shows a note for the person; undefined clears it. */
  readonly say: (note: string | undefined) => void
}

/** Shows the task and the remaining time until the work ends or the person gives up (exit 3 or 130). */
export type WaitFor = <T>(task: BrowserTask, work: (waiting: Waiting) => Promise<T>) => Promise<T>

/** The browser on this machine. */
export interface Browser {
  /** Whether a person is likely to sit in front of it. */
  readonly isHere: boolean
  /** Opens an http or https page. False if no browser could be started. */
  readonly open: (url: string) => Promise<boolean>
  /** Waits on loopback for the browser's return request. */
  readonly awaitReturn: () => Promise<BrowserReturn>
}

export interface BrowserReturn {
  /** The address to which the browser returns, with `state` in the query. */
  readonly address: string
  readonly state: string
  /** The query of the return request. */
  readonly query: Promise<URLSearchParams>
  readonly close: () => void
}

/** Rejects when the signal is aborted, before or during the pause. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted())
}
