import { Command } from 'commander'
import { about, commandHelp } from '../argv/about.ts'
import { commandAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { topics } from '../topics/topics.ts'

export const helpCommand = (context: Context): Command => {
  const command: Command = new Command('help')
    .description(`Help for a command or a topic: ${Object.keys(topics).join(', ')}`)
    .argument('[topic...]', 'a topic, or a command such as session list')
    .action((words: string[]) => help(context, command, words))
  return about(command, {
    form: 'one',
    fields: { topic: 'text', text: 'text' },
    examples: ['postern help exit-codes', 'postern help session list'],
  })
}

async function help(context: Context, { parent }: Command, words: readonly string[]): Promise<void> {
  const name = words.join(' ')
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  const command = parent && commandAt(parent, words)
  if (!topic && !command) throw usageError(`No command or topic ${name}`, `Topics: ${Object.keys(topics).join(', ')}`)
  const text = topic ? await topic.text() : command ? commandHelp(command) : ''
  context.out.text(text, { topic: name, text })
}
