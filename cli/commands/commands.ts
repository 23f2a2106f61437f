import { Command } from 'commander'
import { aliasesOf, withAliases } from '../argv/aliases.ts'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import { type CommandNode, flattenTree } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import type { Column } from '../output/cell.ts'

const columns: readonly Column<CommandNode>[] = [
  { header: 'Command', value: (branch) => branch.path },
  { header: 'Summary', value: (branch) => branch.summary },
]

export const commandsCommand = (context: Context): Command => {
  const command: Command = new Command('commands').description('The whole tree of commands').action(async () => {
    const tree = withAliases(await builtOrLiveTree(() => command.parent ?? command), aliasesOf(context))
    const { mode } = context.out.style
    if (mode === 'document') return context.out.one(tree, [])
    await context.out.list(flattenTree(tree).slice(1), columns, { empty: 'No commands', id: 'path' })
  })
  return describeCommand(command, {
    form: 'one',
    fields: {
      name: 'text',
      path: 'text',
      aliases: 'list',
      summary: 'text',
      arguments: 'list',
      options: 'list',
      inherits: 'list',
      exitCodes: 'list',
      examples: 'list',
      form: 'text',
      fields: 'any',
      others: 'list',
      commands: 'list',
    },
    examples: ['', '--json'],
  })
}
