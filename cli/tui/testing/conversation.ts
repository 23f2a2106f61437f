import { afterEach } from 'vitest'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { bin } from '../../testing/real-service.ts'
import type { Runner } from '../../testing/run-cli.ts'

/** The accessible mode of the built program in a pseudo-terminal. Each test has one conversation. */
export function useConversation() {
  let pty: Pty
  let dialogue: LineDialogue
  afterEach(() => pty.close())
  const run = (program: string, args: readonly string[], { env }: Runner) => {
    pty = startPty(program, args, { rows: 120, columns: 160, env: { ...env, POSTERN_ACCESSIBLE: '1' } })
    dialogue = dialogueWith(pty)
  }
  return {
    start: (machine: Runner) => run(process.execPath, [bin, 'tui'], machine),
    /** The script starts the program with `$0 "$@"`. */
    startIn: (script: string, machine: Runner) => run('/bin/sh', ['-c', script, process.execPath, bin, 'tui'], machine),
    answer: (question: string, text: string) => dialogue.answer(question, text),
    choose: (label: string) => dialogue.choose(label),
    /** Waits for the text and returns everything up to it, since later lines may or may not be there yet. */
    shows: async (text: string) => {
      const shown = await pty.shows(text)
      return shown.slice(0, shown.indexOf(text) + text.length)
    },
    type: (text: string) => pty.type(text),
    exit: () => pty.exit,
    raw: () => pty.raw(),
    scrollback: () => pty.scrollback(),
  }
}
