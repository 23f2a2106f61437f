import { Command } from 'commander'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import { helpPage } from '../argv/help-page.ts'
import { nodeAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { widthOf } from '../output/style.ts'
import { wrapPage } from '../output/wrap.ts'
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

async function help(context: Context, { parent }: Command, words: readonly string[]): Promise<void> {
  const name = words.join(' ')
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  const node = parent && nodeAt(builtOrLiveTree(parent), words)
  if (!topic && !node) throw usageError(`No command or topic ${name}`, `Topics: ${Object.keys(topics).join(', ')}`)
  const width = widthOf(context.host)
  const text = topic ? wrapPage(await topic.text(width), width) : node ? helpPage(node, width) : ''
  context.out.text(text, { topic: name, text })
}
