import type { Connection } from './client/connection.ts'
import type { Context } from './context.ts'

interface ProbeOptions {
  /** The command that sends the request. */
  readonly from: string
  /** Timeout of each request in milliseconds. */
  readonly patience: number
  readonly signal?: AbortSignal
}

/** Connects anonymously and without retries: the calling command decides whether to try again. */
export async function connectForProbe(
  { settings, host }: Context,
  { from, patience, signal }: ProbeOptions,
): Promise<Connection> {
  const { connect } = await import('./client/connect.ts')
  const { address, readOnly, debug, label } = settings
  const [timeout, retries] = [
    { value: patience, from },
    { value: 0, from },
  ]
  const { env, stderr } = host
  return connect(
    undefined,
    { address, readOnly, debug, label, timeout, retries },
    { env, stderr, signal: signal ?? host.signal },
  )
}
