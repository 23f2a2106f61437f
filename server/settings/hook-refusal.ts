import { wireCodeOf } from '../../shared/failure.ts'

export interface HookRefusalOptions {
  /** 400 to 499. Default: 403. */
  readonly status?: number
  /** For programs: `A–Z 0–9 _`. By default made from the message: `Pay first` becomes `PAY_FIRST`. */
  readonly code?: string
  /** For the log, never sent. */
  readonly cause?: unknown
}

/**
 * Thrown by a function of the config file to refuse a call. The answer has its status, code and message.
 *
 * @example
 * beforeDeleteUser: ({ email }) => {
 *   if (email.endsWith('@example.com')) throw new HookRefusal('Ask your administrator', { status: 409 })
 * }
 * // 409 {"code":"ASK_YOUR_ADMINISTRATOR","message":"Ask your administrator"}
 */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal'
  readonly status: number
  readonly code: string

  /** @throws RangeError for a status outside 400 to 499, or a code with characters other than `A–Z 0–9 _`. */
  constructor(message: string, { status = 403, code = codeFrom(message), cause }: HookRefusalOptions = {}) {
    super(message, { cause })
    if (!Number.isInteger(status) || status < 400 || status > 499)
      throw new RangeError(`A HookRefusal has a status from 400 to 499, not ${status}`)
    if (!/^[A-Z0-9_]+$/.test(code))
      throw new RangeError(`A HookRefusal has a code of A to Z, 0 to 9 and _, not ${JSON.stringify(code)}`)
    this.status = status
    this.code = code
  }
}

/** A message in another script leaves nothing but underscores. */
const codeFrom = (message: string): string => {
  const code = wireCodeOf(message)
  return /[A-Z]/.test(code) ? code : 'REFUSED'
}
