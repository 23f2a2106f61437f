import { type Command, Option } from 'commander'
import { usageError } from '../output/cli-error.ts'
import { type FormFlags, optionsIn } from '../output/output-form.ts'
import { checkForm, outputOption } from './output-flag.ts'

/** The global flags as typed. Settings decide the precedence over environment and files. */
export interface Flags extends FormFlags {
  readonly url?: string
  readonly profile?: string
  readonly account?: string
  readonly org?: string
  /** Only for commands that show something. */
  readonly columns?: string
  readonly yes?: boolean
  readonly confirm?: string
  readonly input?: boolean
  readonly timeout?: string
  readonly retries?: string
  readonly color?: string
  readonly debug?: boolean
  readonly readOnly?: boolean
  /** Only for commands that start a session. */
  readonly label?: string
  readonly allowHttp?: boolean
  /** Only for commands that change something. */
  readonly dryRun?: boolean
}

/** `more` is shown only by `help flags`. */
const flags: readonly (readonly [flags: string, description: string, more?: string])[] = [
  [
    '--url <url>',
    'the service to talk to; default: that of the profile, or this machine',
    'Without a path /api/auth is added. POSTERN_URL',
  ],
  [
    '-P, --profile <name>',
    'the profile to use',
    'Profiles: named sets of a service and settings: postern profile create. POSTERN_PROFILE',
  ],
  [
    '-A, --account <email>',
    'the stored account to use; default: the current one',
    'See them: postern auth list. POSTERN_ACCOUNT',
  ],
  [
    '-O, --org <org>',
    'the organization to work in: id, slug or name; default: the active one, or the only one you are in',
    'POSTERN_ORG',
  ],
  ['--json [fields]', 'print JSON; --json=a,b selects fields', 'The fields: postern schema COMMAND'],
  ['--ndjson', 'print JSON, one item per line', 'A command without a list prints a single item.'],
  ['-o, --output <form>', outputOption().description, 'How each looks: postern help output'],
  [
    '--jq <program>',
    'print what a jq program makes of the JSON',
    "For example '.items[].email'. Strings are printed raw.",
  ],
  [
    '--template <text>',
    'print what a Mustache template makes of the JSON',
    'For example {{#items}}{{email}} {{/items}}',
  ],
  ['-q, --quiet', 'print ids only', 'The same as --output name.'],
  ['-y, --yes', 'answer the confirmation of this command with yes', 'Not enough for actions that cannot be undone.'],
  [
    '--confirm <value>',
    'answer a confirmation with the exact name it asks for',
    'Enough for every action on a single thing, even one that cannot be undone.',
  ],
  ['--no-input', 'never prompt; exit 14 when input is missing', 'Also when CI is set. POSTERN_NO_INPUT'],
  ['--timeout <duration>', 'longest wait for an answer (30s)', 'Such as 500ms, 10s or 2m. POSTERN_TIMEOUT'],
  ['--retries <n>', 'how often to retry when that is safe (2)', 'From 0 to 10.'],
  ['--color <when>', 'auto, always or never', 'NO_COLOR, FORCE_COLOR'],
  ['--debug', 'show requests on stderr, without secrets', 'POSTERN_DEBUG'],
  ['--read-only', 'refuse commands that change something', 'Before any prompt or request.'],
  ['--allow-http', 'allow http, in clear text, to a host in a private network', 'A profile can store this.'],
]

/** Whether a word is a global flag whose value is the next word. */
export const takesNextWord = (word: string): boolean =>
  flags.some(([names]) => names.includes('<') && names.split(/[ ,]+/).includes(word))

export function addGlobalFlags(program: Command): Command {
  for (const [names, description] of flags)
    program.addOption(names.includes('--output') ? outputOption() : new Option(names, description))
  return program
}

/** The flags and their descriptions for `help flags`. */
export const flagDescriptions = (): readonly (readonly [flags: string, told: string])[] => [
  ...flags.map(([names, description, more]) => {
    const told = more === undefined ? description : `${description}. ${more}`
    return [names.replace('--json [fields]', '--json[=fields]'), told] as const
  }),
  ['-V, --version', 'print the version'],
  ['-h, --help', 'show the help of the command'],
]

/** The environment variable of a global flag. */
export const variableOf = (long: string | undefined): string | null =>
  /\bPOSTERN_[A-Z_]+$/.exec(
    flags.find(([names]) => long !== undefined && names.includes(`${long} `))?.[2] ?? '',
  )?.[0] ?? null

/** A parser for a flag that may be given several times. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** Refuses a flag of one value that is given twice: the first value would be lost without a word. */
export function refuseRepeats(command: Command): void {
  const single = command.options.filter(
    ({ required, optional, variadic, parseArg }) => (required || optional) && !variadic && parseArg !== collect,
  )
  for (const option of single) {
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw usageError(`${option.long} is given more than once, but takes one value`, onceHint(option))
      isGiven = true
    })
  }
}

const onceHint = ({ long, description }: Option): string =>
  description.includes('comma-separated') ? `Separate several values by commas: ${long} ONE,TWO` : 'Give it once'

/** The label of the session that a command starts, which the connection sends. */
export class LabelOption extends Option {}

/** For commands that start a session. The connection reads the value, whatever the method of sign-in. */
export const labelOption = (): Option =>
  new LabelOption('--label <text>', "the session's name in lists; default: this machine's name")

/** The flags that select service, profile, account and organization. */
export const scopeNames = ['url', 'profile', 'account', 'org'] as const
export type ScopeFlag = (typeof scopeNames)[number]

/** The same as typed, to repeat them in suggested commands. */
export const scopeFlags = (flags: Flags, names: readonly ScopeFlag[] = scopeNames): readonly string[] =>
  names.flatMap((name) => {
    const value = flags[name]
    const consent = name === 'url' && flags.allowHttp ? ['--allow-http'] : []
    return value === undefined ? consent : [`--${name}`, value, ...consent]
  })

/** `--json` and `--watch` take a value only after `=`, so the next word stays an argument. */
export function separateOptionalValues(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const isAlone = (word: string, index: number) => ['--json', '--watch'].includes(word) && (end < 0 || index < end)
  return argv.map((word, index) => (isAlone(word, index) ? `${word}=` : word))
}

/** Joins `--sort -owner` to `--sort=-owner`, since `-owner` alone is the global flag `-o` with the value `wner`. */
export function joinSortValue(argv: readonly string[]): readonly string[] {
  const at = optionsIn(argv).findIndex((word, index) => word === '--sort' && /^-[a-z]/.test(argv[index + 1] ?? ''))
  return at < 0 ? argv : joinSortValue(argv.toSpliced(at, 2, `--sort=${argv[at + 1]}`))
}

/** Rejects contradicting flags (exit 2). */
export function checkFlags(flags: Flags): void {
  for (const name of scopeNames) {
    if (flags[name] === '') throw usageError(`--${name} is empty`, 'Give it a value or omit it', [`--${name}`])
  }
  checkForm(flags)
  if (flags.color !== undefined && !['auto', 'always', 'never'].includes(flags.color)) {
    throw usageError(`--color is auto, always or never, not ${flags.color}`, undefined, ['--color'])
  }
}
