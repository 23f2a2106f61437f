import { isDeepStrictEqual } from 'node:util'
import type { SeenRequest } from '../../client/connection.ts'

export interface LoggedRequest extends SeenRequest {
  readonly id: string
  readonly server: string
  /** The address of whose session it was asked with. */
  readonly account?: string | undefined
  readonly at: Date
  /** How often it was asked in a row, with the same answer. */
  readonly times: number
}

/** As many requests as a person may scroll through. */
const maxRequests = 200

/** Newest first. What is asked again and again, as while a browser is waited for, is one entry. */
export function withRequest(
  log: readonly LoggedRequest[],
  request: Omit<LoggedRequest, 'times'>,
): readonly LoggedRequest[] {
  const [newest, ...older] = log
  if (newest && isDeepStrictEqual(whatOf(newest), whatOf(request)))
    return [{ ...request, id: newest.id, times: newest.times + 1 }, ...older]
  return [{ ...request, times: 1 }, ...log].slice(0, maxRequests)
}

const whatOf = ({ server, account, method, path, query, body, status }: Omit<LoggedRequest, 'times'>) => ({
  server,
  account,
  method,
  path,
  query,
  body,
  status,
})
