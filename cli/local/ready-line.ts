import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'

// A command that lacks these has made the line by itself: it names what is asked about, or leaves out what does not go along.
const wholeLines = ['--yes', '--confirm', '--start']

/** Where nobody could be asked: the line as it was typed, with what it lacks as the command's example has it. */
export function withReadyLine(error: CliError, argv: readonly string[]): CliError {
  const { exitCode, message, hint: example, fields = [] } = error
  if (exitCode !== exitCodes.inputNeeded || example === undefined || argv.includes('--')) return error
  const lacking = fields.map((flag) => flagIn(example, flag))
  if (lacking.length === 0 || lacking.includes(undefined) || fields.some((flag) => wholeLines.includes(flag)))
    return error
  const typed = argv.filter((word) => word !== '--no-input').map(quoted)
  const input = / < \S+$/.exec(example)?.[0] ?? ''
  const hint = ['postern', ...typed, ...lacking].join(' ') + input
  const { code, status, details, cause } = error
  return new CliError(exitCode, message, { code, status, details, fields, cause, hint })
}

/** The flag of an example with its value, if it has one. */
function flagIn(example: string, flag: string): string | undefined {
  const words = example.split(' ')
  const at = words.indexOf(flag)
  if (!flag.startsWith('--') || at < 0) return undefined
  const value = words[at + 1]
  return value === undefined || value === '<' || value.startsWith('--') ? flag : `${flag} ${value}`
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
