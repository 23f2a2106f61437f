import type { Command } from 'commander'
import type { Flags } from '../argv/flags.ts'
import type { CommandNode } from '../argv/tree.ts'
import type { Context } from '../context.ts'

/** The tree of commands, or the part of it that these words can mean; handed over by who runs them. */
export type CreateProgram = (context: Context, argv?: readonly string[]) => Promise<Command>

type FlagNode = CommandNode['options'][number]

/** Where the words of a line lead, and what stands last. */
export interface Place {
  readonly node: CommandNode
  /** The flag whose value the last word is. */
  readonly awaiting: FlagNode | undefined
  /** Words behind those of the command that are no flags. */
  readonly words: readonly string[]
  /** What was typed of the word that is completed. */
  readonly typed: string
  /** Of the last word, what stands before it and stays: `--org=`. */
  readonly before: string
  /** Where, as whom and in what it is asked. */
  readonly flags: Pick<Flags, 'url' | 'profile' | 'account' | 'org'>
}

export function placeOf(root: CommandNode, line: readonly string[]): Place {
  const start: Walk = { root, node: root, awaiting: undefined, words: [], flags: {} }
  const { node, awaiting, words, flags } = line.slice(0, -1).reduce(step, start)
  const last = line.at(-1) ?? ''
  const [before = '', name] = /^(--[\w-]+)=/.exec(last) ?? []
  const own = name === undefined ? awaiting : flagOf({ root, node }, name)
  return { node, awaiting: own, words, typed: last.slice(before.length), before, flags }
}

interface Walk extends Pick<Place, 'node' | 'awaiting' | 'words' | 'flags'> {
  readonly root: CommandNode
}

/** What is a flag's value, or an argument, is no command. */
function step(walk: Walk, word: string): Walk {
  if (walk.awaiting) return { ...walk, awaiting: undefined, flags: withFlag(walk, walk.awaiting, word) }
  if (word.startsWith('-') && word !== '-') return behindFlag(walk, word)
  const below = walk.words.length === 0 ? walk.node.commands.find((child) => isNamed(child, word)) : undefined
  return below ? { ...walk, node: below } : { ...walk, words: [...walk.words, word] }
}

function behindFlag(walk: Walk, word: string): Walk {
  const [, name = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
  const flag = flagOf(walk, name)
  if (flag && value !== undefined) return { ...walk, flags: withFlag(walk, flag, value) }
  return flag && /<.+>/.test(flag.flags) ? { ...walk, awaiting: flag } : walk
}

const isNamed = ({ name, aliases }: CommandNode, word: string): boolean => name === word || aliases.includes(word)

const flagOf = ({ root, node }: Pick<Walk, 'root' | 'node'>, name: string): FlagNode | undefined =>
  [...node.options, ...root.options].find(({ flags }) => namesOf(flags).includes(name))

/** `-o` and `--org` of `-o, --org <org>`. */
export const namesOf = (flags: string): readonly string[] => flags.match(/(?<![\w-])-{1,2}[\w-]+/g) ?? []

const scopes = ['url', 'profile', 'account', 'org'] as const

function withFlag({ flags }: Walk, flag: FlagNode, value: string): Place['flags'] {
  const name = scopes.find((scope) => namesOf(flag.flags).includes(`--${scope}`))
  return name ? { ...flags, [name]: value } : flags
}
