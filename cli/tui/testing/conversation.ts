import { afterEach, beforeAll } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'

/** The accessible mode in a pseudo-terminal: one conversation at a time, which ends with its test. */
export function useConversation() {
  let fixture: string
  let pty: Pty
  let dialogue: LineDialogue
  beforeAll(async () => {
    fixture = await bundle(new URL('tui.fixture.ts', import.meta.url))
  })
  afterEach(() => pty.close())
  const run = (program: string, args: readonly string[], { env }: Runner) => {
    pty = startPty(program, args, { rows: 120, columns: 160, env: { ...env, POSTERN_ACCESSIBLE: '1' } })
    dialogue = dialogueWith(pty)
  }
  return {
    start: (machine: Runner) => run(process.execPath, [fixture], machine),
    /** `$0 "$@"` in the script starts it. */
    startIn: (script: string, machine: Runner) => run('/bin/sh', ['-c', script, process.execPath, fixture], machine),
    answer: (question: string, text: string) => dialogue.answer(question, text),
    choose: (label: string) => dialogue.choose(label),
    shows: (text: string) => pty.shows(text),
    type: (text: string) => pty.type(text),
    exit: () => pty.exit,
    raw: () => pty.raw(),
    scrollback: () => pty.scrollback(),
  }
}
