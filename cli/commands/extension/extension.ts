import type { Command } from 'commander'
import { builtOrLiveTree } from '../../argv/built-tree.ts'
import { noun } from '../../argv/noun.ts'
import { type CommandNode, nodeAt } from '../../argv/tree.ts'
import type { Context } from '../../context.ts'
import { type Extension, listExtensions } from '../../extensions/find.ts'
import { localListCommand } from '../local-list.ts'

export const extensionCommand = (context: Context): Command =>
  noun('extension', { summary: 'Programs in PATH that add commands: postern-NAME', plural: 'extensions' }, [
    extensionListCommand(context),
  ])

interface Row extends Extension {
  /** A command or an alias of the same name, which runs instead. */
  readonly hiddenBy: string | null
}

const fields = {
  name: { title: 'Name', type: 'text' },
  path: { title: 'Program', type: 'text' },
  hiddenBy: { title: 'Hidden by', type: 'text?' },
} as const

const extensionListCommand = (context: Context): Command =>
  localListCommand<Row>(context, {
    summary: 'The programs postern-NAME in PATH, which run as postern NAME',
    id: 'name',
    empty: 'No extensions: a program postern-NAME in PATH is one',
    list: async (command) => {
      const tree = await builtOrLiveTree(() => command.parent?.parent ?? command)
      return listExtensions(context.host.env).map((one) => ({ ...one, hiddenBy: hiderOf(context, tree, one) }))
    },
    fields,
    ends: ['localState'],
    examples: [''],
  })

function hiderOf({ config }: Context, tree: CommandNode, { name }: Extension): string | null {
  if (nodeAt(tree, [name])) return 'a command'
  return Object.hasOwn(config.aliases, name) ? 'an alias' : null
}
