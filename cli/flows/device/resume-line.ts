import { commandLine } from '../../output/shell-line.ts'
import { flag } from '../flow.ts'

/** The command that goes on with a ticket. */
export const resumeLine = (name: string, scope: readonly string[]): string =>
  commandLine('postern', 'sign-in', '--resume', name, ...scope)

/** The command that begins one again, with the provider that was meant. */
export const beginLine = (provider?: string): string =>
  commandLine('postern', 'sign-in', ...(provider ? flag('provider', provider) : ['--device']))
