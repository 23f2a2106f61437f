import { Command } from 'commander'
import { aliasesOf, withAliases } from '../argv/aliases.ts'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import { helpPage } from '../argv/help-page.ts'
import { type CommandNode, nodeAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { listExtensions } from '../extensions/find.ts'
import { usageError } from '../output/cli-error.ts'
import { widthOf } from '../output/style.ts'
import { wrap, wrapPage, wrapRows } from '../output/wrap.ts'
import { storedKeys } from '../settings/settings.ts'
import { topics } from '../topics/topics.ts'

export const helpCommand = (context: Context): Command => {
  const command: Command = new Command('help')
    .description(`Help for a command or a topic: ${Object.keys(topics).join(', ')}`)
    .argument('[topic...]', 'a topic, or a command such as session list')
    .action((words: string[]) => help(context, command, words))
  return describeCommand(command, {
    form: 'one',
    fields: { topic: 'text', text: 'text' },
    examples: ['exit-codes', 'session list'],
  })
}

/** What `--help` of the program does not say. */
function listTopics(context: Context, tree: CommandNode | undefined): void {
  const { host, out } = context
  const width = widthOf(host)
  const rows = Object.entries(topics).map(([topic, { summary }]) => [topic, summary] as const)
  const text = [
    'postern help TOPIC',
    '',
    ...wrapRows(rows, width),
    '',
    ...ownCommands(context, tree, width),
    ...wrap(
      'All commands: postern --help. One of them: postern help COMMAND, such as postern help session list',
      width,
    ),
  ].join('\n')
  out.text(text, { topic: '', text })
}

/** What this machine adds to the commands. */
function ownCommands(context: Context, tree: CommandNode | undefined, width: number): readonly string[] {
  const { host } = context
  // A command or an alias of the same name runs instead.
  const seen = listExtensions(host.env).filter(({ name }) => !tree || !nodeAt(tree, [name]))
  const extensions = seen.map(({ name, path }) => [name, path] as const)
  const groups = [
    ['Aliases: postern alias list', Object.entries(aliasesOf(context))],
    ['Extensions: postern extension list', extensions],
  ] as const
  return groups.flatMap(([title, rows]) => (rows.length === 0 ? [] : [title, ...wrapRows(rows, width), '']))
}

async function help(context: Context, { parent }: Command, words: readonly string[]): Promise<void> {
  const tree = await treeWithAliases(context, parent)
  if (words.length === 0) return listTopics(context, tree)
  const name = words.join(' ')
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  const node = tree && nodeAt(tree, words)
  if (!topic && !node) throw usageError(`No command or topic ${name}`, `Topics: ${Object.keys(topics).join(', ')}`)
  const width = widthOf(context.host)
  const text = topic
    ? wrapPage(await topic.text(width, () => storedKeys(context.config.settings)), width)
    : pageOf(tree, node, width)
  context.out.text(text, { topic: name, text })
}

const pageOf = (tree: CommandNode | undefined, node: CommandNode | undefined, width: number): string =>
  tree && node ? helpPage(tree, node, width) : ''

const treeWithAliases = async (context: Context, root: Command | null): Promise<CommandNode | undefined> =>
  root ? withAliases(await builtOrLiveTree(() => root), aliasesOf(context)) : undefined
