/** Which of the checks an id token of a CI provider did not pass. */
export type WorkloadRefusal =
  | 'malformed'
  | 'issuer'
  | 'keys'
  | 'signature'
  | 'algorithm'
  | 'audience'
  | 'expired'
  | 'too-early'
  | 'too-old'

/** A token that is not taken. Whoever sent it is told no more than that. */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError'
  readonly reason: WorkloadRefusal
  constructor(reason: WorkloadRefusal, cause?: unknown) {
    super(`The token was refused: ${reason}`, { cause })
    this.reason = reason
  }
}
