import type { Command } from 'commander'
import type { CommandMetadata } from './command-metadata.ts'

/** A command as data: what `commands --json` prints. */
export interface CommandNode {
  readonly name: string
  /** The full command, beginning with `postern`. */
  readonly path: string
  readonly aliases: readonly string[]
  readonly summary: string
  /** Of an alias on this machine: the command line that it stands for. */
  readonly expandsTo?: string
  readonly arguments: readonly {
    readonly name: string
    readonly required: boolean
    /** Asked for at a terminal if it is missing. */
    readonly asked: boolean
    readonly variadic: boolean
    readonly summary: string
    readonly choices: readonly string[] | null
  }[]
  readonly options: readonly OptionNode[]
  /** The global flags that it uses for what it does not take itself. */
  readonly inherits: readonly string[]
  /** The codes that it can exit with, beside those of any program. */
  readonly exitCodes: readonly number[]
  readonly examples: readonly string[]
  /** Form and fields of the answer under --json. */
  readonly form: CommandMetadata['form']
  readonly fields: CommandMetadata['fields']
  readonly counts?: NonNullable<CommandMetadata['counts']>
  /** Other answers, each with the flag that selects it. */
  readonly others: NonNullable<CommandMetadata['others']>
  readonly commands: readonly CommandNode[]
}

export interface OptionNode {
  readonly flags: string
  readonly summary: string
  readonly required: boolean
  /** Asked for at a terminal if it is missing. */
  readonly asked: boolean
  /** The environment variable that does the same. */
  readonly variable: string | null
  /** All allowed values, or null when they are not known in advance. */
  readonly choices: readonly string[] | null
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
