import { codeOf } from '../../shared/failure.ts'

export interface HookRefusalOptions {
  /** 400 to 499; 403 unless told. */
  readonly status?: number
  /** For programs: `A–Z 0–9 _`. Made from the message unless told: `Pay first` gives `PAY_FIRST`. */
  readonly code?: string
  /** Private; never sent. */
  readonly cause?: unknown
}

/**
 * What a function of the config file throws to refuse a call in its own words: status, code and message are the answer.
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

  /** @throws RangeError for a status outside 400 to 499, or a code of other characters than `A–Z 0–9 _`. */
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

/** Of a message in another script nothing is left but its blanks. */
const codeFrom = (message: string): string => {
  const code = codeOf(message)
  return /[A-Z]/.test(code) ? code : 'REFUSED'
}
