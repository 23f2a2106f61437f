import { toCliError } from '../output/error-report.ts'

/** What was looked at, how it is, and what mends it. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** A command line, or what to do; null where there is nothing to do. */
  readonly mend: string | null
  /** It is about files of this machine. */
  readonly isLocal?: boolean
  /** What is safe to be done at once: nothing of it ends or loses a session. */
  readonly repair?: () => Promise<unknown>
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, mend: null })

export const warning = (check: string, message: string, mend: string | null = null): Finding => ({
  check,
  status: 'warning',
  message,
  mend,
})

export const problem = (check: string, message: string, mend: string | null = null): Finding => ({
  check,
  status: 'problem',
  message,
  mend,
})

/** What a command would be refused with, as a finding. */
export function refused(check: string, error: unknown): Finding {
  const { message, hint = null } = toCliError(error)
  return problem(check, message, hint)
}
