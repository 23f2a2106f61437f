import type { Argument, Command, Option } from 'commander'
import { exampleLine } from '../flows/command-line.ts'
import type { Complete } from '../flows/field.ts'
import { type AnswerFields, type AnswerTypes, typesOf } from '../output/json.ts'

/** The shape of a command's answer under --json. */
type AnswerForm = 'one' | 'list' | 'change' | 'bulk' | 'none'

export interface Answer<F = AnswerTypes> {
  readonly form: AnswerForm
  /** Fields of the thing, the list's items, the changed resource or the results: all that it tells, and what `--json=a,b` can select. */
  readonly fields: F
  /** What the summary of many counts besides. */
  readonly counts?: readonly string[]
}

/** What a command says of itself beyond its arguments: shown by --help, `commands --json` and `schema`. */
export interface About<F = AnswerTypes> extends Answer<F> {
  /** What it answers instead where that flag is given. */
  readonly others?: readonly (Answer<F> & { readonly by: string })[]
  /** What stands behind the words of the command; a line that names another command too is whole. */
  readonly examples: readonly string[]
  /** Changes something at the service: refused under --read-only before anything is asked or sent. */
  readonly writes?: boolean
}

const notes = new WeakMap<Command, About>()

/** Attaches the facts to a command. */
export function about(command: Command, { others, ...facts }: About<AnswerFields>): Command {
  const typed = <A extends Answer<AnswerFields>>(answer: A) => ({ ...answer, fields: typesOf(answer.fields) })
  notes.set(command, { ...typed(facts), ...(others && { others: others.map(typed) }) })
  return command
}

export const aboutOf = (command: Command): About => notes.get(command) ?? { form: 'none', fields: {}, examples: [] }

/** What the command answers with the flags that it was given. */
export function answerOf(command: Command): Answer {
  const { others = [], ...main } = aboutOf(command)
  return others.find(({ by }) => isGiven(command, by)) ?? main
}

const isGiven = (command: Command, flag: string): boolean =>
  command.options.some(
    (option) => option.long === flag && command.getOptionValueSource(option.attributeName()) === 'cli',
  )

/** The examples of a command as whole lines. */
export const examplesOf = (command: Command): readonly string[] =>
  aboutOf(command).examples.map((example) => exampleLine(pathOf(command), example))

/** `postern team list`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const completers = new WeakMap<Argument | Option, Complete>()

/** Says where the words come from that may stand for it, when nothing that is known here tells them. */
export function completeWith<T extends Argument | Option>(part: T, complete: Complete | undefined): T {
  if (complete) completers.set(part, complete)
  return part
}

export const completerOf = (part: Argument | Option): Complete | undefined => completers.get(part)
