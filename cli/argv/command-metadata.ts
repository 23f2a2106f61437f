import type { Argument, Command, Option } from 'commander'
import type { exitCodes } from '../../shared/exit-codes.ts'
import { exampleLine } from '../flows/command-line.ts'
import type { Completer } from '../flows/field.ts'
import type { SelectingFlag } from '../flows/flow.ts'
import { type AnswerFields, type AnswerTypes, answerTypesOf } from '../output/json.ts'
import { isGivenSeveral, several } from './several.ts'

/** The shape of a command's answer under --json. */
type AnswerForm = 'one' | 'list' | 'change' | 'bulk' | 'none'

export interface AnswerSpec<F = AnswerTypes> {
  readonly form: AnswerForm
  /**
   * All fields of the resource, the list's items, the changed resource or the results, selectable with `--json=a,b`.
   */
  readonly fields: F
  /** Additional counters in the summary of a bulk command. */
  readonly counts?: readonly string[]
}

/** What a command needs, and how it can end. */
export interface CommandNeeds {
  /** The paths of its calls. Their failures decide on its exit codes. */
  readonly calls?: readonly string[]
  /** Acts as the signed-in user. */
  readonly needsSession?: boolean
  /** The global flags that it uses, beside those of its calls and its session. */
  readonly globalFlags?: readonly SelectingFlag[]
  /** The arguments and flags that it asks for at a terminal, and cannot do without elsewhere. */
  readonly asks?: readonly string[]
  /** The global flag that answers its confirmation. */
  readonly consent?: '--yes' | '--confirm'
  /** How it can end otherwise. */
  readonly ends?: readonly (keyof typeof exitCodes)[]
}

/** Metadata of a command beyond its arguments, shown by --help, `commands --json` and `schema`. */
export interface CommandMetadata<F = AnswerTypes> extends AnswerSpec<F>, CommandNeeds {
  /** Other answers, each with the flags that select it, or `several`. The first one that fits is given. */
  readonly others?: readonly (AnswerSpec<F> & { readonly by: string })[]
  /** The arguments after the command's name. A line that also uses another command is given whole. */
  readonly examples: readonly string[]
  /** Changes something at the service, so --read-only refuses it before any prompt or request. */
  readonly writes?: boolean
}

const metadata = new WeakMap<Command, CommandMetadata>()

/** Attaches the metadata to a command. */
export function describeCommand(command: Command, { others, ...facts }: CommandMetadata<AnswerFields>): Command {
  const typed = <A extends AnswerSpec<AnswerFields>>(answer: A) => ({ ...answer, fields: answerTypesOf(answer.fields) })
  metadata.set(command, { ...typed(facts), ...(others && { others: others.map(typed) }) })
  return command
}

export const metadataOf = (command: Command): CommandMetadata =>
  metadata.get(command) ?? { form: 'none', fields: {}, examples: [] }

/** The command's answer for the given flags. */
export function answerSpecOf(command: Command): AnswerSpec {
  const { others = [], ...main } = metadataOf(command)
  return others.find(({ by }) => by.split(' with ').every((part) => isSelected(command, part))) ?? main
}

const isSelected = (command: Command, by: string): boolean =>
  by === several ? isGivenSeveral(command) : isGiven(command, by)

const isGiven = (command: Command, flag: string): boolean =>
  command.options.some(
    (option) => option.long === flag && command.getOptionValueSource(option.attributeName()) === 'cli',
  )

/** The examples of a command as complete command lines. */
export const examplesOf = (command: Command): readonly string[] =>
  metadataOf(command).examples.map((example) => exampleLine(pathOf(command), example))

/** `postern team list`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const completers = new WeakMap<Argument | Option, Completer>()

/** Sets the function that completes an argument or option whose values the command tree does not list. */
export function withCompleter<T extends Argument | Option>(part: T, complete: Completer | undefined): T {
  if (complete) completers.set(part, complete)
  return part
}

export const completerOf = (part: Argument | Option): Completer | undefined => completers.get(part)

/** The program that a command is part of. */
export const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)
