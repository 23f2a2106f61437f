import { type ExitCode, exitCodes } from '../../../shared/exit-codes.ts'
import type { TuiPorts } from '../ports.ts'
import { AppStore } from '../state/app-store.ts'
import type { Conversation } from './conversation.ts'
import { home } from './home.ts'
import { InputEnded, LineTerminal } from './line-terminal.ts'

/** Runs the terminal UI as a conversation with appended lines and numbered choices. */
export async function runAccessible(
  ports: TuiPorts,
  options: { readonly readOnly?: boolean | undefined; readonly screen?: string | undefined },
): Promise<ExitCode> {
  const terminal = new LineTerminal(ports)
  const conversation: Conversation = { store: new AppStore(ports), terminal, isReadOnly: options.readOnly ?? false }
  try {
    await home(conversation, options.screen)
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error
    terminal.say()
    return error.isInterrupt ? exitCodes.interrupted : exitCodes.done
  } finally {
    terminal.close()
    ports.close()
  }
}
