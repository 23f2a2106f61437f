import { type Aliases, aliasesOf, expandAlias, withAliases } from '../argv/aliases.ts'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { commandWordAt } from '../argv/command-word.ts'
import { type CommandNode, nodeAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { topics } from '../topics/topics.ts'
import { type CompletionPoint, type CreateProgram, completionPointOf, namesOf } from './completion-point.ts'
import { fileWantedExitCode } from './scripts.ts'

/**
 * Answers the shells' completion scripts, which pass the words typed so far after `--`. Prints one word per line, or
 * exits with `fileWantedExitCode`.
 */
export async function complete(argv: readonly string[], context: Context, createProgram: CreateProgram): Promise<void> {
  const tree = await builtOrLiveTree(() => createProgram(context))
  const aliases = aliasesOf(context)
  const line = expanded(tree, argv.slice(argv.indexOf('--') + 1), aliases)
  const root = withAliases(tree, aliases)
  const asked = completionPointOf(root, line)
  if (isFileWanted(asked)) {
    context.exitCode = fileWantedExitCode
    return
  }
  // The tree answers most completions. Commands are loaded only here.
  const ask = async (place: CompletionPoint) =>
    (await import('./live-completions.ts')).liveCompletions(context, place, createProgram)
  const { place, words } = await wordsAt(root, asked, ask)
  const fitting = [...new Set(words)].filter((word) => word.startsWith(place.typed) && isPrintable(word)).sort()
  if (fitting.length > 0) context.host.stdout.write(`${fitting.map((word) => place.before + word).join('\n')}\n`)
}

/** Whether a file name belongs here: as the value of a flag, or as an argument of `backup`, `restore` or `import`. */
function isFileWanted({ node, awaiting, typed, words }: CompletionPoint): boolean {
  if (awaiting) return /<file>/.test(awaiting.flags)
  return !typed.startsWith('-') && /^(?:files?|source)$/.test(argumentAt(node, words.length)?.name ?? '')
}

/** The line with its alias expanded, since the words after an alias complete like those after its command. */
function expanded(tree: CommandNode, line: readonly string[], aliases: Aliases): readonly string[] {
  const at = commandWordAt(line)
  if (at < 0 || at === line.length - 1) return line
  const isCommand = (name: string) => nodeAt(tree, [name]) !== undefined
  return isCommand(line[at] ?? '') ? line : (expandAlias(line, { at, aliases, isCommand }) ?? line)
}

/** Names chosen by other users may contain line breaks or control characters. Such words are not offered. */
const isPrintable = (word: string): boolean => escapeControls(word) === word

/** In a comma-separated list, completes the last item. */
async function wordsAt(
  root: CommandNode,
  place: CompletionPoint,
  ask: (place: CompletionPoint) => Promise<readonly string[]>,
) {
  const known = knownWords(root, place)
  if (known) return { place, words: known }
  const [listed = ''] = /^.*,/s.exec(place.typed) ?? []
  const last = { ...place, before: place.before + listed, typed: place.typed.slice(listed.length) }
  return { place: last, words: await ask(last) }
}

/** Completions from the command tree. Undefined when only the service or this machine knows them. */
function knownWords(root: CommandNode, place: CompletionPoint): readonly string[] | undefined {
  const { node, awaiting, typed, before, words } = place
  if (before === '--json=') return furtherFields(node, typed)
  if (awaiting) return awaiting.choices ?? undefined
  if (typed.startsWith('-')) return flagsOf(root, node)
  if (node.path === `${root.name} help`) return helpWords(root, words)
  return node.commands.length > 0 ? node.commands.map(({ name }) => name) : choicesOf(node, words.length)
}

const choicesOf = (node: CommandNode, position: number): readonly string[] | undefined =>
  argumentAt(node, position)?.choices ?? undefined

const argumentAt = ({ arguments: all }: CommandNode, position: number) =>
  all[position] ?? all.find(({ variadic }) => variadic)

const flagsOf = (root: CommandNode, node: CommandNode): readonly string[] =>
  [...root.options, ...node.options].flatMap(({ flags }) => namesOf(flags).slice(-1)).concat('--help')

const helpWords = (root: CommandNode, words: readonly string[]): readonly string[] => [
  ...(words.length === 0 ? Object.keys(topics) : []),
  ...(nodeAt(root, words)?.commands.map(({ name }) => name) ?? []),
]

/** Appends each field that the list does not contain yet. */
function furtherFields({ fields }: CommandNode, typed: string): readonly string[] {
  const chosen = typed.split(',').slice(0, -1)
  const free = Object.keys(fields).filter((name) => !chosen.includes(name))
  return free.map((name) => [...chosen, name].join(','))
}
