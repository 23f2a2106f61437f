import type { Command } from 'commander'
import { type Flags, type ScopeFlag, scopeNames } from '../argv/flags.ts'
import { type CommandNode, nodeAt, type OptionNode } from '../argv/tree.ts'
import type { Context } from '../context.ts'

/** Creates the command tree, or only the commands that these words may name. Passed in by the caller. */
export type CreateProgram = (context: Context, argv?: readonly string[]) => Promise<Command>

/** The command that a line leads to, and the word to complete. */
export interface CompletionPoint {
  readonly node: CommandNode
  /** The flag whose value is completed. */
  readonly awaiting: OptionNode | undefined
  /** The arguments after the command, without flags. */
  readonly words: readonly string[]
  /** The typed part of the word to complete. */
  readonly typed: string
  /** The part of the last word that is kept as typed, such as `--org=`. */
  readonly before: string
  /** The flags that select service, profile, account and organization. */
  readonly flags: Pick<Flags, ScopeFlag>
}

export function completionPointOf(root: CommandNode, line: readonly string[]): CompletionPoint {
  const start: ParseState = { root, node: root, awaiting: undefined, words: [], flags: {} }
  const { node, awaiting, words, flags } = line.slice(0, -1).reduce(parseWord, start)
  const last = line.at(-1) ?? ''
  const [before = '', name] = /^(--[\w-]+)=/.exec(last) ?? []
  const own = name === undefined ? awaiting : flagOf({ root, node }, name)
  return { node, awaiting: own, words, typed: last.slice(before.length), before, flags }
}

interface ParseState extends Pick<CompletionPoint, 'node' | 'awaiting' | 'words' | 'flags'> {
  readonly root: CommandNode
}

/** A flag's value or an argument is never taken for a command. */
function parseWord(walk: ParseState, word: string): ParseState {
  if (walk.awaiting) return { ...walk, awaiting: undefined, flags: withFlag(walk, walk.awaiting, word) }
  if (word.startsWith('-') && word !== '-') return behindFlag(walk, word)
  const below = walk.words.length === 0 ? nodeAt(walk.node, [word]) : undefined
  return below ? { ...walk, node: below } : { ...walk, words: [...walk.words, word] }
}

function behindFlag(walk: ParseState, word: string): ParseState {
  const [, name = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
  const flag = flagOf(walk, name)
  if (flag && value !== undefined) return { ...walk, flags: withFlag(walk, flag, value) }
  return flag && /<.+>/.test(flag.flags) ? { ...walk, awaiting: flag } : walk
}

const flagOf = ({ root, node }: Pick<ParseState, 'root' | 'node'>, name: string): OptionNode | undefined =>
  [...node.options, ...root.options].find(({ flags }) => namesOf(flags).includes(name))

/** The names in `-O, --org <org>`: `-O` and `--org`. */
export const namesOf = (flags: string): readonly string[] => flags.match(/(?<![\w-])-{1,2}[\w-]+/g) ?? []

function withFlag({ flags }: ParseState, flag: OptionNode, value: string): CompletionPoint['flags'] {
  const name = scopeNames.find((scope) => namesOf(flag.flags).includes(`--${scope}`))
  return name ? { ...flags, [name]: value } : flags
}
