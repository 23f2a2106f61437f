import type { Command, Option } from 'commander'
import { providerIds } from '../../shared/providers.ts'
import { type Completer, completerOf } from '../argv/completer.ts'
import { commandAt, visibleCommands } from '../argv/tree.ts'
import { topics } from '../topics/topics.ts'
import { shells } from './scripts.ts'

/** What may stand in place of the last word; nothing where a shell's own file names may. */
export function completions(root: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? ''
  const { command, awaiting } = reach(root, words.slice(0, -1))
  const values = awaiting && valuesOf(awaiting)
  if (awaiting && !values) return []
  const candidates = values ?? (last.startsWith('-') ? flagsOf(root, command) : namesOf(command))
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(last)).sort()
}

/** What the words of the command are found by, where one of them stands last. */
export function askedCompletion(root: Command, words: readonly string[]): Completer | undefined {
  const { command, awaiting } = reach(root, words.slice(0, -1))
  return awaiting || words.at(-1)?.startsWith('-') ? undefined : completerOf(command)
}

interface Reached {
  readonly command: Command
  /** The flag whose value comes next. */
  readonly awaiting?: Option | undefined
}

/** Where the words lead; what is a flag's value, or an argument, is no command. */
const reach = (root: Command, words: readonly string[]): Reached =>
  words.reduce<Reached>(
    ({ command, awaiting }, word) => {
      if (awaiting) return { command }
      if (word.startsWith('-')) return { command, awaiting: valueFlag([...root.options, ...command.options], word) }
      return { command: commandAt(command, [word]) ?? command }
    },
    { command: root },
  )

const valueFlag = (options: readonly Option[], word: string): Option | undefined =>
  options.find((option) => option.required && (option.long === word || option.short === word))

/** A service may know other providers too: these are offered, not demanded. */
const valuesOf = ({ long, argChoices }: Option): readonly string[] | undefined =>
  long === '--provider' ? providerIds : argChoices

function namesOf(command: Command): readonly string[] {
  if (command.name() === 'completion') return shells
  const names = visibleCommands(command).map((child) => child.name())
  return command.name() === 'help'
    ? [...Object.keys(topics), ...visibleCommands(command.parent ?? command).map((child) => child.name())]
    : names
}

const flagsOf = (root: Command, command: Command): readonly string[] =>
  [...root.options, ...command.options].flatMap(({ long }) => (long ? [long] : [])).concat('--help')
