import { type ExitCode, exitCodes } from '../../../shared/exit-codes.ts'
import type { Keymap } from '../keymap/keymap.ts'
import type { NumberedScreen } from '../keymap/names.ts'
import type { TuiPorts } from '../ports.ts'
import { AppStore } from '../state/app-store.ts'
import { takeoverText } from '../state/takeover.ts'
import type { Conversation } from './conversation.ts'
import { home } from './home.ts'
import { InputEnded, LineTerminal } from './line-terminal.ts'
import { openPlace } from './places.ts'

/** Runs the terminal UI as a conversation with appended lines and numbered choices. */
export async function runAccessible(
  ports: TuiPorts,
  keymap: Keymap,
  { screen, isReadOnly }: { readonly screen: NumberedScreen; readonly isReadOnly: boolean },
): Promise<ExitCode> {
  const terminal = new LineTerminal(ports)
  const conversation: Conversation = {
    store: new AppStore(ports),
    terminal,
    keymap,
    isReadOnly,
    open: (opening) => openPlace(conversation, opening),
  }
  const stopTelling = tellTakeovers(conversation)
  try {
    await Promise.race([home(conversation, screen), terminal.interrupted])
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error
    terminal.say()
    return error.isInterrupt ? exitCodes.interrupted : exitCodes.done
  } finally {
    stopTelling()
    terminal.close()
    ports.close()
  }
}

/** Tells at once when another terminal changed who the account acts as. Lines typed before that are dropped. */
const tellTakeovers = ({ store, terminal }: Conversation): (() => void) =>
  store.subscribe(() => {
    const { takeover } = store.state
    if (!takeover) return
    terminal.forget()
    const { title, sentence } = takeoverText(takeover)
    terminal.say(`${title}. ${sentence}`)
    store.acknowledgeTakeover()
  })
