import { setTimeout as sleep } from 'node:timers/promises'

/** What a person does in a browser while a flow waits for it. */
export interface BrowserTask {
  /** `Sign in in a browser`. */
  readonly title: string
  readonly url: string
  /** To be typed there; none where the address says all. */
  readonly code?: string | undefined
  /** A page was opened on this machine already, with this code filled in where it asks for one. */
  readonly opened?: { readonly code?: string | undefined } | undefined
  /** The last moment, in milliseconds since 1970. */
  readonly until: number
  /** Whether a picture of the address is wanted where lines are dear. */
  readonly hasPicture?: boolean
  /** Whether it can be gone on with after an interruption. */
  readonly isKept?: boolean
}

export interface Waiting {
  /** Aborted when the person gives up. */
  readonly signal: AbortSignal
  /** What a person wonders about meanwhile; undefined: nothing. */
  readonly say: (note: string | undefined) => void
}

/** Shows the task with the time that is left, until the work is over or the person gives up (exit 3 or 130). */
export type WaitFor = <T>(task: BrowserTask, work: (waiting: Waiting) => Promise<T>) => Promise<T>

/** A browser on the screen of this machine. */
export interface Browser {
  /** Whether a person most likely sits before one. */
  readonly isHere: boolean
  /** Opens a page of http or https; false where nothing could be started. */
  readonly open: (url: string) => Promise<boolean>
  /** Waits on loopback for the request by which the browser comes back. */
  readonly awaitReturn: () => Promise<BrowserReturn>
}

export interface BrowserReturn {
  /** Where the browser has to be led back to, with `state` in the query. */
  readonly address: string
  readonly state: string
  /** The query that it came back with. */
  readonly query: Promise<URLSearchParams>
  readonly close: () => void
}

/** Rejects when the signal is aborted, before or meanwhile. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted())
}
