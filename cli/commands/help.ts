import { Command } from 'commander'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import { helpPage } from '../argv/help-page.ts'
import { nodeAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { widthOf } from '../output/style.ts'
import { wrap, wrapPage, wrapRows } from '../output/wrap.ts'
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
function listTopics({ host, out }: Context): void {
  const width = widthOf(host)
  const rows = Object.entries(topics).map(([topic, { summary }]) => [topic, summary] as const)
  const text = [
    'postern help TOPIC',
    '',
    ...wrapRows(rows, width),
    '',
    ...wrap(
      'All commands: postern --help. One of them: postern help COMMAND, such as postern help session list',
      width,
    ),
  ].join('\n')
  out.text(text, { topic: '', text })
}

async function help(context: Context, { parent }: Command, words: readonly string[]): Promise<void> {
  if (words.length === 0) return listTopics(context)
  const name = words.join(' ')
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  const tree = parent && (await builtOrLiveTree(() => parent))
  const node = tree && nodeAt(tree, words)
  if (!topic && !node) throw usageError(`No command or topic ${name}`, `Topics: ${Object.keys(topics).join(', ')}`)
  const width = widthOf(context.host)
  const text = topic ? wrapPage(await topic.text(width), width) : tree && node ? helpPage(tree, node, width) : ''
  context.out.text(text, { topic: name, text })
}
