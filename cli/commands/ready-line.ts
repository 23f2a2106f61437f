import { commandWith, exampleLine, type GivenValues, pathOf } from '../flows/command-line.ts'
import { type Field, type Fields, flagOf, isAccount, isOnByFlag, placeholderOf, type ValuesOf } from '../flows/field.ts'
import { bulkFieldOf, type Flow } from '../flows/flow.ts'
import { problemOf } from '../flows/form.ts'
import { type CliError, usageError } from '../output/cli-error.ts'
import { commandLine } from '../output/shell-line.ts'

/** What was typed: the arguments that name the subjects, the value of each field if given, and all other flags. */
export interface Argv {
  readonly words: readonly string[]
  readonly given: Readonly<Record<string, string | readonly string[] | boolean | undefined>>
  readonly others: readonly string[]
}

export type CommandFacts<F extends Fields> = Pick<
  Flow<never, F>,
  'command' | 'fields' | 'isEdit' | 'bulk' | 'examples'
> & {
  readonly subject: { readonly argument?: string }
}

interface MissingInputs {
  /** Names of fields without a value. */
  readonly lacking?: readonly string[]
  /** Flags that nobody gave. */
  readonly flags?: readonly string[]
}

/**
 * The command line that does the same without a question: what was typed, with placeholders in capitals for missing
 * values. If nothing was typed, an example is more helpful.
 */
export function readyLine(flow: CommandFacts<Fields>, argv: Argv, { lacking = [], flags = [] }: MissingInputs): string {
  const isBare = lacking.length > 0 && !isTyped(flow.fields, argv)
  const examples = flow.examples.map((example) => exampleLine(pathOf(flow.command), example))
  const example = isBare ? examples.find((line) => isFittingExample(line, lacking)) : undefined
  const more = [...argv.others, ...flags]
  if (example !== undefined) return withFlags(example, more)
  // Arguments that are values of a field appear once.
  return commandWith({ ...flow, fields: asGiven(flow.fields) }, bulkFieldOf(flow) === undefined ? argv.words : [], {
    given: argv.given as GivenValues,
    flags: [...neededOf(flow, argv.given, lacking), ...more],
  })
}

/** Inserted before an input redirection. */
const withFlags = (line: string, flags: readonly string[]): string =>
  flags.length === 0 ? line : line.replace(/(?= < |$)/, () => ` ${commandLine(...flags)}`)

/** A link that was typed can be repeated in the line. */
const asGiven = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.kind === 'link' && field.argument ? { ...field, kind: 'text' } : field,
    ]),
  )

/** Commander also sets switches that nobody typed, so a switch counts only in the state that its flag sets. */
const isTyped = (fields: Fields, { words, given }: Argv): boolean =>
  words.length > 0 ||
  Object.entries(fields).some(([name, field]) =>
    typeof given[name] === 'boolean' ? given[name] === isOnByFlag(field) : given[name] !== undefined,
  )

/** Whether the example has each of these, and reads nothing else from stdin. */
function isFittingExample(example: string, lacking: readonly string[]): boolean {
  const words = example.split(' ')
  const before = words[words.indexOf('-') - 1]
  const argument = lacking.find((name) => !name.startsWith('--'))
  const reader = before?.startsWith('--') ? before : argument
  if (!words.includes('-')) return lacking.every((name) => words.includes(name))
  return lacking.every((name) => name === reader || words.includes(name)) && lacking.some((name) => name === reader)
}

/** Flags that a line for a person leaves out, because a person is asked for them. */
const neededOf = (
  { command, fields }: CommandFacts<Fields>,
  given: Argv['given'],
  lacking: readonly string[],
): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const flag = flagOf(field)
    if (flag === '' || field.isOptional || command.includes(flag)) return []
    if (field.kind === 'secret' || field.kind === 'link') return [flag, String(given[name] ?? 'FILE')]
    return isAccount(field) && lacking.includes(flag) ? [flag, placeholderOf(field)] : []
  })

/** How a command names the field: `--name` for a flag, or `LINK` for an argument. */
export const nameInCommand = (field: Field): string => (field.argument ? placeholderOf(field) : flagOf(field))

export type CheckedFlow<F extends Fields> = CommandFacts<F> & Pick<Flow<never, F, never>, 'check' | 'propose'>

/** Checks each value by itself, then all of them together. */
export function findInvalidValue<F extends Fields>(
  { fields, check }: CheckedFlow<F>,
  values: GivenValues & Partial<ValuesOf<F>>,
  asked: readonly string[],
) {
  const together: Readonly<Record<string, string | undefined>> = check?.(values, []) ?? {}
  for (const [name, field] of Object.entries(fields)) {
    const called = asked.includes(name) ? field.label : nameInCommand(field)
    const problem = problemIn(field, values[name], called) ?? together[name]
    if (problem) return { name, field, problem }
  }
  return undefined
}

/** What is wrong with one value of a bulk field, before anything is sent for it. */
export function invalidInput(flow: CommandFacts<Fields>, value: string): CliError | undefined {
  const field = flow.fields[bulkFieldOf(flow) ?? '']
  const problem = field && problemIn(field, value, nameInCommand(field))
  return problem ? invalidValueError(flow, field, problem) : undefined
}

export const invalidValueError = ({ command }: CommandFacts<Fields>, field: Field, problem: string) =>
  usageError(problem, `${pathOf(command)} --help`, [nameInCommand(field)])

/** What is wrong with this value alone, or with the first wrong one of a list whose words are whole. */
export function problemIn(field: Field, value: unknown, called: string): string | undefined {
  if (field.kind === 'server') return undefined
  const texts = field.kind === 'list' && field.isWhole ? [value].flat() : [value]
  const problems = texts.map((text) => (typeof text === 'string' ? problemOf(field, text, called) : undefined))
  return problems.find((problem) => problem !== undefined)
}
