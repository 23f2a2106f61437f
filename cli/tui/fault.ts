import { refusalFrom } from '../output/failure.ts'

/** A failure for a person: what happened, what to do next, and the rest for who wants it. */
export interface Fault {
  readonly sentence: string
  readonly hint: string | undefined
  /** HTTP status, when the service refused. */
  readonly status: number | undefined
  readonly details: readonly (readonly [label: string, value: string])[]
}

/** What the screen says in place of the command that a prompt would name. */
const hintsByCode: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Check both and try again, or create an account.',
  USER_ALREADY_EXISTS: 'Sign in with this address, or use another one.',
  SESSION_NOT_FOUND: 'It is over already. R reads the list again.',
}

export function faultOf(error: unknown): Fault {
  const { message, code, status, hint } = refusalFrom(error)
  const isOver = status === 401 && !Object.hasOwn(hintsByCode, code)
  return {
    sentence: message,
    hint: isOver ? 'Your session is over. Sign in again: 2 lists the accounts.' : (hintsByCode[code] ?? hint),
    status,
    details: [['Code', code], ...(status === undefined ? [] : [['Status', String(status)] as const])],
  }
}
