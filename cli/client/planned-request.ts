import type { ApiRequest } from './connection.ts'

/** Thrown in place of sending a write, if --dry-run only shows it. */
export class PlannedRequest extends Error {
  override readonly name = 'PlannedRequest'
  readonly request: ApiRequest
  /** The service's URL with its base path. */
  readonly server: string

  constructor(request: ApiRequest, server: string) {
    super(`${request.method} ${request.path}`)
    this.request = request
    this.server = server
  }
}
