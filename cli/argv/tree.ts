import type { Argument, Command, Option } from 'commander'
import { type About, aboutOf } from './about.ts'

/** A command as data: what `commands --json` prints. */
export interface CommandNode {
  readonly name: string
  /** With `postern` and every word before it. */
  readonly path: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly arguments: readonly {
    readonly name: string
    readonly required: boolean
    readonly variadic: boolean
    readonly summary: string
  }[]
  readonly options: readonly { readonly flags: string; readonly summary: string }[]
  readonly examples: readonly string[]
  /** Form and fields of the answer under --json. */
  readonly form: About['form']
  readonly fields: About['fields']
  readonly commands: readonly CommandNode[]
}

export function commandTree(command: Command, before = ''): CommandNode {
  const path = `${before} ${command.name()}`.trim()
  const { examples, form, fields } = aboutOf(command)
  return {
    name: command.name(),
    path,
    aliases: command.aliases(),
    summary: command.description(),
    arguments: command.registeredArguments.map(argumentOf),
    options: command.options.filter(({ hidden }) => !hidden).map(optionOf),
    examples,
    form,
    fields,
    commands: visibleCommands(command).map((child) => commandTree(child, path)),
  }
}

/** Every command below, itself included, parents first. */
export const flattenTree = (branch: CommandNode): readonly CommandNode[] => [
  branch,
  ...branch.commands.flatMap(flattenTree),
]

/** Names that start with `__` are for shells, not for people. */
export const visibleCommands = (command: Command): readonly Command[] =>
  command.commands.filter((child) => !child.name().startsWith('__'))

/** The command that these words lead to, by name or alias. */
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
})

const optionOf = ({ flags, description }: Option) => ({ flags, summary: description })
