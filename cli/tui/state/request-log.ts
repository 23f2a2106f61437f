import { isDeepStrictEqual } from 'node:util'
import type { ObservedRequest } from '../../client/connection.ts'

export interface LoggedRequest extends ObservedRequest {
  readonly id: string
  readonly server: string
  /** Email of the account whose session was used. */
  readonly account?: string | undefined
  readonly at: Date
  /** How often it was repeated in a row with the same answer. */
  readonly times: number
}

/** The most requests that the log holds. */
const maxRequests = 200

/** Adds a request, newest first. Repeats of the newest one, as while waiting for a browser, share its entry. */
export function withRequest(
  log: readonly LoggedRequest[],
  request: Omit<LoggedRequest, 'times'>,
): readonly LoggedRequest[] {
  const [newest, ...older] = log
  if (newest && isDeepStrictEqual(comparableParts(newest), comparableParts(request)))
    return [{ ...request, id: newest.id, times: newest.times + 1 }, ...older]
  return [{ ...request, times: 1 }, ...log].slice(0, maxRequests)
}

const comparableParts = ({ server, account, method, path, query, body, status }: Omit<LoggedRequest, 'times'>) => ({
  server,
  account,
  method,
  path,
  query,
  body,
  status,
})
