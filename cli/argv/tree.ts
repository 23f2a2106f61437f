import type { Argument, Command, Option } from 'commander'
import { type CommandMetadata, examplesOf, metadataOf, pathOf } from './command-metadata.ts'

/** A command as data: what `commands --json` prints. */
export interface CommandNode {
  readonly name: string
  /** The full command, beginning with `postern`. */
  readonly path: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly arguments: readonly {
    readonly name: string
    readonly required: boolean
    readonly variadic: boolean
    readonly summary: string
    readonly choices: readonly string[] | null
  }[]
  readonly options: readonly {
    readonly flags: string
    readonly summary: string
    /** All allowed values, or null when they are not known in advance. */
    readonly choices: readonly string[] | null
  }[]
  readonly examples: readonly string[]
  /** Form and fields of the answer under --json. */
  readonly form: CommandMetadata['form']
  readonly fields: CommandMetadata['fields']
  readonly counts?: NonNullable<CommandMetadata['counts']>
  /** Other answers, each with the flag that selects it. */
  readonly others: NonNullable<CommandMetadata['others']>
  readonly commands: readonly CommandNode[]
}

export function commandTree(command: Command): CommandNode {
  const { form, fields, counts, others = [] } = metadataOf(command)
  return {
    name: command.name(),
    path: pathOf(command),
    aliases: command.aliases(),
    summary: command.description(),
    arguments: command.registeredArguments.map(argumentOf),
    options: command.options.filter(({ hidden }) => !hidden).map(optionOf),
    examples: examplesOf(command),
    form,
    fields,
    ...(counts && { counts }),
    others,
    commands: command.commands.map(commandTree),
  }
}

/** The command and all its descendants, parents first. */
export const flattenTree = (branch: CommandNode): readonly CommandNode[] => [
  branch,
  ...branch.commands.flatMap(flattenTree),
]

/** The node at a path of names or aliases. */
export function nodeAt(tree: CommandNode, words: readonly string[]): CommandNode | undefined {
  return words.reduce<CommandNode | undefined>(
    (branch, word) => branch?.commands.find(({ name, aliases }) => name === word || aliases.includes(word)),
    tree,
  )
}

/** The command at a path of names or aliases. */
export function commandAt(root: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word || child.aliases().includes(word)),
    root,
  )
}

const argumentOf = (argument: Argument) => ({
  name: argument.name(),
  required: argument.required,
  variadic: argument.variadic,
  summary: argument.description,
  choices: argument.argChoices ?? null,
})

const optionOf = ({ flags, description, argChoices }: Option) => ({
  flags,
  summary: description,
  choices: argChoices ?? null,
})
