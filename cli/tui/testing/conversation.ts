import { afterEach } from 'vitest'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { bin } from '../../testing/real-service.ts'
import type { Runner } from '../../testing/run-cli.ts'

/** The accessible mode of the built program in a pseudo-terminal: one conversation at a time, which ends with its test. */
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
    /** `$0 "$@"` in the script starts it. */
    startIn: (script: string, machine: Runner) => run('/bin/sh', ['-c', script, process.execPath, bin, 'tui'], machine),
    answer: (question: string, text: string) => dialogue.answer(question, text),
    choose: (label: string) => dialogue.choose(label),
    /** All up to that text: what stands below it may be there already, or not yet. */
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
