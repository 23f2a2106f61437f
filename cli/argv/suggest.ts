import { Command, CommanderError } from 'commander'
import { type CommandNode, flattenTree, nodeAt } from './tree.ts'

const most = 3

/** Words that other programs have for what these commands show. */
const otherWords = new Map<string, readonly string[]>([
  ...['event', 'events', 'log', 'logs', 'trail'].map((word) => [word, ['activity', 'audit']] as const),
  ['register', ['sign-up']],
  ['man', ['help']],
  ['start', ['serve']],
  ['me', ['whoami', 'me']],
])

/** Verbs with the same meaning. Each noun has a command for at most one verb of a row. */
const verbs: readonly (readonly string[])[] = [
  ['create', 'add', 'new'],
  ['delete', 'remove', 'revoke', 'cancel'],
  ['unset', 'clear', 'reset'],
  ['edit', 'rename', 'update', 'change'],
  ['use', 'switch', 'select'],
]

/**
 * The command of the same noun that `word` means. Members are added by an invitation, so `member add` means that, and so
 * does `invite` with an address.
 */
function ownCommand(tree: CommandNode, word: string, known: readonly string[]): string | undefined {
  const isInvited = ['invite', 'invitation'].includes(known.join(' ')) && word.includes('@')
  const same = isInvited ? ['create'] : (verbs.find((words) => words.includes(word)) ?? [])
  const place = known.join(' ') === 'member' && same.includes('create') ? ['invitation'] : known
  return nodeAt(tree, place)?.commands.find(({ name }) => same.includes(name))?.path
}

/**
 * The commands that `word` may mean, wherever they are: those of that name or meaning, or else of a similar one.
 * `known`: the words before it, which name a command; `rest`: those after it. If some commands share words with these,
 * only they count. A verb that many nouns have, or a similar word, says nothing about other nouns.
 */
export function commandsLike(
  tree: CommandNode,
  word: string,
  { known, rest }: { readonly known: readonly string[]; readonly rest: readonly string[] },
): { readonly named: readonly string[]; readonly similar: readonly string[] } {
  const all = flattenTree(tree).slice(1)
  const near = similarTo(word, new Set(all.flatMap(namesOf)))
  const pathsOf = (isMeant: (name: string) => boolean, isVague: boolean) => {
    const paths = all.filter((node) => namesOf(node).some(isMeant)).map((node) => continued(node, word, rest).path)
    const sharing = paths.filter((path) => known.some((one) => path.includes(` ${one} `)))
    const isElsewhere = sharing.length === 0 && !(isVague && known.length > 0)
    return (isElsewhere ? paths : sharing).toSorted((one, other) => depthOf(one) - depthOf(other)).slice(0, most)
  }
  const meant = otherWords.get(word) ?? [word]
  const own = ownCommand(tree, word, known)
  return {
    named: own ? [own] : pathsOf((name) => meant.includes(name), verbs.flat().includes(word)),
    similar: pathsOf((name) => near.includes(name), true),
  }
}

const namesOf = ({ name, aliases }: CommandNode): readonly string[] => [name, ...aliases]
const depthOf = (path: string): number => path.split(' ').length

/** Follows the words below a command. A plural without a verb means the list. */
function continued(node: CommandNode, word: string, [next, ...rest]: readonly string[]): CommandNode {
  const verb = next ?? (word !== node.name ? 'list' : undefined)
  const below = node.commands.find(({ name, aliases }) => name === verb || aliases.some((alias) => alias === verb))
  return below ? continued(below, below.name, rest) : node
}

/** The names that the parser finds similar, so that one rule decides for all names. */
function similarTo(word: string, names: ReadonlySet<string>): readonly string[] {
  const probe = new Command()
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ outputError: () => {} })
  for (const name of names) probe.command(name)
  try {
    probe.parse([word], { from: 'user' })
  } catch (error) {
    const [, found = ''] =
      /\(Did you mean (?:one of )?(.*)\?\)/.exec(error instanceof CommanderError ? error.message : '') ?? []
    return found.split(', ')
  }
  return []
}
