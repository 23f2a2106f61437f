import { usageError } from '../output/cli-error.ts'
import { commandLine, splitLine } from '../output/shell-line.ts'
import { commandWordAt } from './command-word.ts'
import { type CommandNode, nodeAt } from './tree.ts'

/** The command line of each alias, without `postern`. */
export type Aliases = Readonly<Record<string, string>>

/** None while the config file is damaged: help, completion and the list of commands work without it. */
export function aliasesOf(context: { readonly config: { readonly aliases: Aliases } }): Aliases {
  try {
    return context.config.aliases
  } catch {
    return {}
  }
}

export const isAliasName = (text: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(text)

/** Replaces the alias at this place by its words. Undefined if there is no such alias. */
export function expandAlias(
  argv: readonly string[],
  { at, aliases, isCommand }: { readonly at: number; readonly aliases: Aliases; readonly isCommand: IsCommand },
): readonly string[] | undefined {
  const name = argv[at] ?? ''
  const line = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  return line === undefined ? undefined : argv.toSpliced(at, 1, ...aliasWords(name, line, isCommand))
}

type IsCommand = (name: string) => boolean

/** The words of an alias. It leads to a command and never to another alias, so that it cannot go round in circles. */
export function aliasWords(name: string, line: string, isCommand: IsCommand): readonly string[] {
  const words = splitLine(line)
  if (!words) throw usageError(`A quote is not closed in the alias ${name}: ${line}`, setLine(name))
  const command = words[commandWordAt(words)]
  if (command !== undefined && isCommand(command)) return words
  throw usageError(
    `The alias ${name} has to begin with a command of postern${command === undefined ? '' : `, not with ${command}`}`,
    setLine(name),
  )
}

const setLine = (name: string): string => commandLine('postern', 'alias', 'set', name, 'session list')

/** The tree with a node for each alias, which has the flags and the answer of the command that it stands for. */
export const withAliases = (tree: CommandNode, aliases: Aliases): CommandNode => ({
  ...tree,
  commands: [...tree.commands, ...Object.entries(aliases).flatMap(([name, line]) => aliasNodes(tree, name, line))],
})

/** None for an alias that a command hides, or that leads nowhere. */
function aliasNodes(tree: CommandNode, name: string, line: string): readonly CommandNode[] {
  const target = targetOf(tree, splitLine(line) ?? [])
  if (!target || nodeAt(tree, [name])) return []
  const path = `${tree.path} ${name}`
  const about = { name, path, aliases: [], summary: `Alias of ${tree.path} ${line}`, examples: [path], commands: [] }
  return [{ ...target, ...about, expandsTo: line }]
}

/** The command that the words lead to. What follows its name are arguments and flags. */
function targetOf(tree: CommandNode, words: readonly string[]): CommandNode | undefined {
  let node = tree
  for (const word of words.slice(commandWordAt(words))) {
    const below = nodeAt(node, [word])
    if (!below) break
    node = below
  }
  return node === tree ? undefined : node
}
