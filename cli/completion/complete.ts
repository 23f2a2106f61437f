import type { Command } from 'commander'
import { topics } from '../topics/topics.ts'
import { commandAt, visibleCommands } from '../tree.ts'
import { shells } from './scripts.ts'

/** What may stand in place of the last word. */
export function completions(root: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? ''
  const path = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  const command = deepest(root, path)
  const candidates = last.startsWith('-') ? flagsOf(root, command) : namesOf(command)
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(last)).sort()
}

// A value of a flag, or an argument, is no command: it is passed over.
function deepest(root: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => commandAt(command, [word]) ?? command, root)
}

function namesOf(command: Command): readonly string[] {
  if (command.name() === 'completion') return shells
  const names = visibleCommands(command).map((child) => child.name())
  return command.name() === 'help'
    ? [...Object.keys(topics), ...visibleCommands(command.parent ?? command).map((child) => child.name())]
    : names
}

const flagsOf = (root: Command, command: Command): readonly string[] =>
  [...root.options, ...command.options].flatMap(({ long }) => (long ? [long] : [])).concat('--help')
