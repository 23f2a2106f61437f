import { commandLine } from '../command-line.ts'

/** The command that goes on with a ticket. */
export const resumeLine = (name: string, scope: readonly string[]): string =>
  commandLine('postern', 'sign-in', '--resume', name, ...scope)
