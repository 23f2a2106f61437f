import type { Command } from 'commander'

/** Finds the words that may stand as a command's argument. */
export type Completer = () => Promise<readonly string[]>

const completers = new WeakMap<Command, Completer>()

/** Says where a command's words come from, when nothing that is known here tells them. */
export function completeWith(command: Command, completer: Completer): Command {
  completers.set(command, completer)
  return command
}

export const completerOf = (command: Command): Completer | undefined => completers.get(command)
