import { Argument, Command } from 'commander'
import { aliasWords, isAliasName } from '../../argv/aliases.ts'
import { builtOrLiveTree } from '../../argv/built-tree.ts'
import { describeCommand, rootOf, withCompleter } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import { type CommandNode, nodeAt } from '../../argv/tree.ts'
import type { Context } from '../../context.ts'
import { notFoundError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { changeConfig } from '../../settings/config-file.ts'
import { localListCommand } from '../local-list.ts'

export const aliasCommand = (context: Context): Command =>
  noun('alias', { summary: 'Short names for command lines', plural: 'aliases' }, [
    aliasListCommand(context),
    aliasSetCommand(context),
    aliasDeleteCommand(context),
  ])

interface Row {
  readonly name: string
  readonly expandsTo: string
}

const fields = { name: { title: 'Name', type: 'text' }, expandsTo: { title: 'Command', type: 'text' } } as const

const aliasListCommand = (context: Context): Command =>
  localListCommand<Row>(context, {
    summary: 'The aliases in the config file',
    id: 'name',
    empty: `No aliases: ${commandLine('postern', 'alias', 'set', 'mine', 'session list')}`,
    list: () => Object.entries(context.config.aliases).map(([name, expandsTo]) => ({ name, expandsTo })),
    fields,
    ends: ['localState'],
    examples: [''],
  })

const aliasSetCommand = (context: Context): Command => {
  const command = new Command('set')
    .description('Give a command line a name of its own; what is typed after the name is appended')
    .argument('<name>', 'lower-case letters, digits and dashes')
    .argument('<command>', 'the command line as one argument, without postern')
    .action(async (name: string, line: string) => {
      const tree = await builtOrLiveTree(() => rootOf(command))
      checkAlias(tree, { name, expandsTo: line })
      await set(context, { name, expandsTo: line })
    })
  return describeCommand(command, {
    form: 'change',
    fields,
    ends: ['localState'],
    examples: ["mine 'session list --json=id,current'", "admins 'member list --role admin'"],
  })
}

function checkAlias(tree: CommandNode, { name, expandsTo }: Row): void {
  if (!isAliasName(name)) throw usageError(`Not a valid alias: ${name}`, 'For example: mine', ['NAME'])
  const isCommand = (word: string) => nodeAt(tree, [word]) !== undefined
  if (isCommand(name)) throw usageError(`${name} is a command of postern`, 'Choose another name', ['NAME'])
  aliasWords(name, expandsTo, isCommand)
}

async function set(context: Context, alias: Row): Promise<void> {
  const { name, expandsTo } = alias
  const before = aliasIn(context, name)
  await changeConfig(context.configPath, (config) => ({ ...config, aliases: { ...config.aliases, [name]: expandsTo } }))
  const status = before === undefined ? 'created' : before === expandsTo ? 'unchanged' : 'updated'
  context.out.done(`postern ${name} is postern ${expandsTo}`, { status, resource: alias })
}

/** Own names only: a config file can be written by hand. */
const aliasIn = ({ config: { aliases } }: Context, name: string): string | undefined =>
  Object.hasOwn(aliases, name) ? aliases[name] : undefined

const aliasDeleteCommand = (context: Context): Command =>
  describeCommand(
    new Command('delete')
      .description('Remove an alias from the config file')
      .addArgument(withCompleter(new Argument('<name>', 'the alias'), async () => Object.keys(context.config.aliases)))
      .action((name: string) => remove(context, name)),
    { form: 'change', fields, ends: ['notFound', 'localState'], examples: ['mine'] },
  )

async function remove(context: Context, name: string): Promise<void> {
  const expandsTo = aliasIn(context, name)
  if (expandsTo === undefined) throw notFoundError(`No alias ${name}`, 'See them: postern alias list')
  await changeConfig(context.configPath, ({ aliases, ...config }) => ({
    ...config,
    aliases: Object.fromEntries(Object.entries(aliases).filter(([one]) => one !== name)),
  }))
  context.out.done(`Removed the alias ${name}`, { status: 'deleted', resource: { name, expandsTo } })
}
