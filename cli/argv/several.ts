import type { Command } from 'commander'

/** In schemas: when the answer is the list of results instead of one thing. */
export const several = 'several arguments, - or --csv'

/** Whether a command is given several inputs: more than one argument, `-` for stdin, or a CSV file. */
export function isGivenSeveral(command: Command): boolean {
  const { args, registeredArguments } = command
  const isListed = registeredArguments[0]?.variadic === true && args.length > 1
  return isListed || args[0] === '-' || command.getOptionValue('csv') !== undefined
}
