import { type CommandNode, nodeAt } from '../argv/tree.ts'
import { topics } from '../topics/topics.ts'
import { namesOf, type Place } from './place.ts'

/** What may stand there as far as the tree of commands tells; undefined: what the service or this machine knows. */
export function knownWords(root: CommandNode, place: Place): readonly string[] | undefined {
  const { node, awaiting, typed, before, words } = place
  if (before === '--json=') return fieldsBehind(node, typed)
  if (awaiting) return awaiting.choices ?? undefined
  if (typed.startsWith('-')) return flagsOf(root, node)
  if (node.path === `${root.name} help`) return helpWords(root, words)
  return node.commands.length > 0 ? node.commands.map(({ name }) => name) : choicesOf(node, words.length)
}

const choicesOf = (node: CommandNode, position: number): readonly string[] | undefined =>
  node.arguments[position]?.choices ?? undefined

const flagsOf = (root: CommandNode, node: CommandNode): readonly string[] =>
  [...root.options, ...node.options].flatMap(({ flags }) => namesOf(flags).slice(-1)).concat('--help')

const helpWords = (root: CommandNode, words: readonly string[]): readonly string[] => [
  ...(words.length === 0 ? Object.keys(topics) : []),
  ...(nodeAt(root, words)?.commands.map(({ name }) => name) ?? []),
]

/** Behind those that stand there already, each once. */
function fieldsBehind({ fields }: CommandNode, typed: string): readonly string[] {
  const chosen = typed.split(',').slice(0, -1)
  const free = Object.keys(fields).filter((name) => !chosen.includes(name))
  return free.map((name) => [...chosen, name].join(','))
}
