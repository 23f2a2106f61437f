import type { ProxySettings } from '../client/transport/http-client.ts'
import type { Environment } from '../settings/folders.ts'

/** The job of a CI provider that this runs in, and whom its id token is to be made for. */
export interface Job {
  readonly env: Environment
  readonly cwd: string
  readonly audience: string
  /** Milliseconds that its provider may take. */
  readonly timeout: number
  readonly proxy: ProxySettings
  readonly signal: AbortSignal
}

/** Its id token by one way; undefined where that is not to be had there. */
export type Way = (job: Job) => Promise<string | undefined>
