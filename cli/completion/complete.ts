import { builtTree } from '../argv/built-tree.ts'
import { type CommandNode, commandTree } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { visible } from '../output/filter.ts'
import { knownWords } from './known-words.ts'
import { type Place, placeOf } from './place.ts'
import { fileIsWanted } from './scripts.ts'

/** What the scripts of the shells ask: the words typed so far, after `--`; a word a line comes back, or that a file is wanted. */
export async function complete(argv: readonly string[], context: Context): Promise<void> {
  const line = argv.slice(argv.indexOf('--') + 1)
  const root = await treeOf(context)
  const asked = placeOf(root, line)
  if (/<file>/.test(asked.awaiting?.flags ?? '')) {
    context.exitCode = fileIsWanted
    return
  }
  const { place, words } = await wordsAt(context, root, asked)
  const fitting = [...new Set(words)].filter((word) => word.startsWith(place.typed) && isWhole(word)).sort()
  if (fitting.length > 0) context.host.stdout.write(`${fitting.map((word) => place.before + word).join('\n')}\n`)
}

/** What others name their things may hold a line break, or what acts on a terminal: such a word is not offered. */
const isWhole = (word: string): boolean => visible(word) === word

/** Of several with commas the last one is asked for. */
async function wordsAt(context: Context, root: CommandNode, place: Place) {
  const known = knownWords(root, place)
  if (known) return { place, words: known }
  const [listed = ''] = /^.*,/s.exec(place.typed) ?? []
  const last = { ...place, before: place.before + listed, typed: place.typed.slice(listed.length) }
  return { place: last, words: await askFor(context, last) }
}

async function treeOf(context: Context): Promise<CommandNode> {
  const built = builtTree()
  if (built) return built
  const { createProgram } = await import('../program.ts')
  return commandTree(await createProgram(context))
}

/** Most of what is completed the tree knows: only here are commands loaded. */
async function askFor(context: Context, place: Place): Promise<readonly string[]> {
  const { askedWords } = await import('./asked-words.ts')
  return askedWords(context, place)
}
