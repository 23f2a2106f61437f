import { quoted } from './shell-line.ts'

/** A value that the shell reads when the line runs, so that neither the line nor curl's arguments contain it. */
export interface ShellValue {
  /** The variable that holds it meanwhile. */
  readonly name: string
  /** Where it comes from, in shell text: `$(cat -- 'file')`. If that fails, nothing is sent. */
  readonly source: string
  /** The option that takes it, as in a config file of curl. */
  readonly option: 'header' | 'data-raw' | 'data-urlencode'
  /** Text that the option has before the value. */
  readonly before?: string
  /** Whether it may contain any character, unlike a token. */
  readonly isText?: boolean
}

/**
 * A curl command for any POSIX shell. Everybody on the machine can read the arguments of a process, so the values reach
 * curl as a config file on its stdin, written by printf, which is part of the shell.
 */
export function curlLine(words: readonly string[], values: readonly ShellValue[]): string {
  if (values.length === 0) return ['curl -sS', ...words].join(' ')
  const reads = values.map(({ name, source }) => `${name}=${source} && `)
  const options = values.map(({ option, before = '' }) => `${option}="${before.replaceAll('%', '%%')}%s"\\n`)
  const print = ['printf', quoted(options.join('')), ...values.map(insideQuotes)].join(' ')
  return `(${reads.join('')}${print} | ${['curl -sS -K -', ...words].join(' ')})`
}

/** Curl reads one option per line, with backslashes before quotes, backslashes and the n of a line end. */
const insideQuotes = ({ name, isText }: ShellValue): string =>
  isText
    ? `"$(printf '%s\\n' "$${name}" | sed -e :a -e '$!N;$!ba' -e 's/["\\\\]/\\\\&/g;s/\\n/\\\\n/g')"`
    : `"$${name}"`
