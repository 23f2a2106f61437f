import { toCliError } from '../output/error-report.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { hangingProse } from '../output/prose.ts'
import type { PageFormat } from '../output/table.ts'

export type Row = Pick<Finding, 'check' | 'status' | 'message' | 'mend'>

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** Columns where the text begins. On a page too narrow for that, the text stands below. */
const [left, leftBelow, leastRoom] = [21, 2, 28]

/** A finding for people, wrapped between words. A command to copy gets its own line and is never cut. */
export function findingLines({ check, status, message, mend }: Row, { paint, width }: PageFormat): string {
  const isBeside = width - left >= leastRoom
  const below = (text: string) => {
    const start = isBeside ? left : leftBelow
    return `${isBeside ? '  ' : `\n${' '.repeat(start)}`}${hangingProse(escapeControls(text), start, width)}`
  }
  const lines = [`${paint(colours[status], status.padEnd(7))}  ${padded(check, isBeside)}${below(message)}`]
  if (mend !== null)
    lines.push(`${' '.repeat(isBeside ? 9 : 2)}${paint('dim', padded('fix:', isBeside))}${below(mend)}`)
  return lines.join('\n')
}

const padded = (text: string, isBeside: boolean): string => (isBeside ? text.padEnd(10) : text)

/** One check, its status, and how to fix the problem. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** A command line, or what to do; null if there is nothing to do. */
  readonly mend: string | null
  /** Concerns files of this machine. */
  readonly isLocal?: boolean
  /** A repair that is always safe: it never ends or loses a session. */
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

/** The error that a command would end with, as a finding. */
export function errorFinding(check: string, error: unknown): Finding {
  const { message, hint = null } = toCliError(error)
  return problem(check, message, hint)
}
