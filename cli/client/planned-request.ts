import type { AccountRef } from '../accounts/accounts.ts'
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

/** Thrown in place of changing what this machine keeps of an account, if --dry-run only shows it. */
export class PlannedHere extends Error {
  override readonly name = 'PlannedHere'
  readonly server: string

  constructor(change: string, { email, origin }: AccountRef) {
    super(`${change} ${email}`)
    this.server = origin
  }
}

export const isPlanned = (error: unknown): error is PlannedRequest | PlannedHere =>
  error instanceof PlannedRequest || error instanceof PlannedHere
