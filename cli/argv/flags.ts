import { type Command, Option } from 'commander'
import { usageError } from '../output/cli-error.ts'

/** The global flags as typed; precedence over environment and files is decided in settings. */
export interface Flags {
  readonly url?: string
  readonly profile?: string
  readonly account?: string
  readonly org?: string
  /** `` is all fields. */
  readonly json?: string
  readonly ndjson?: boolean
  readonly quiet?: boolean
  readonly yes?: boolean
  readonly confirm?: string
  readonly input?: boolean
  readonly timeout?: string
  readonly retries?: string
  readonly color?: string
  readonly debug?: boolean
  readonly readOnly?: boolean
}

const flags: readonly [flags: string, description: string][] = [
  ['--url <url>', 'the service to talk to'],
  ['-P, --profile <name>', 'the profile to use'],
  ['-A, --account <email>', 'the stored account to use'],
  ['-o, --org <org>', 'the organization to work in: id, slug or name; default: the active one'],
  ['--json [fields]', 'print JSON; --json=a,b selects fields'],
  ['--ndjson', 'print JSON, one item a line'],
  ['-q, --quiet', 'print ids only'],
  ['-y, --yes', 'answer the confirmation of this command with yes'],
  ['--confirm <value>', 'answer a confirmation with the exact name it asks for'],
  ['--no-input', 'never ask; exit 14 where something is missing'],
  ['--timeout <duration>', 'longest wait for an answer (30s)'],
  ['--retries <n>', 'how often to try again where that is safe (2)'],
  ['--color <when>', 'auto, always or never'],
  ['--debug', 'show requests on stderr, secrets left out'],
  ['--read-only', 'refuse anything that changes something'],
]

export function addGlobalFlags(program: Command): Command {
  for (const [names, description] of flags) program.addOption(new Option(names, description))
  return program
}

/** The flags that say where, as whom and in what a command works, as they were typed: a line that repeats it has them too. */
export const scopeFlags = (
  flags: Flags,
  names: readonly ScopeFlag[] = ['url', 'profile', 'account', 'org'],
): readonly string[] =>
  names.flatMap((name) => {
    const value = flags[name]
    return value === undefined ? [] : [`--${name}`, value]
  })

export type ScopeFlag = 'url' | 'profile' | 'account' | 'org'

/** `--json` takes its fields after `=` only, so that the next word stays an argument. */
export function detachJson(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.map((word, index) => (word === '--json' && (end < 0 || index < end) ? '--json=' : word))
}

/** What can be wrong with the flags taken together (exit 2). */
export function checkFlags(flags: Flags): void {
  for (const name of ['url', 'profile', 'account', 'org'] as const) {
    if (flags[name] === '') throw usageError(`--${name} is empty`, 'Give it a value, or leave it out', [`--${name}`])
  }
  const forms = [flags.quiet && '--quiet', (flags.json ?? flags.ndjson) !== undefined && '--json or --ndjson']
  const clash = forms.filter((form) => typeof form === 'string')
  if (clash.length > 1)
    throw usageError(`${clash.join(' and ')} cannot be combined`, 'Choose one form of output', clash)
  if (flags.color !== undefined && !['auto', 'always', 'never'].includes(flags.color)) {
    throw usageError(`--color is auto, always or never, not ${flags.color}`, undefined, ['--color'])
  }
}
