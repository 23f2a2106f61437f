import { type Pty, type PtyOptions, startPty } from './pty.ts'
import { bin } from './real-service.ts'

/** `postern tui`, as built, below a shell that tells the terminal's modes before and after. */
export function openTui(options: PtyOptions): Pty {
  // The shell stays alive at the end, since output just before it exits can be lost with its terminal.
  const script =
    'echo "what was here"; echo "before $(stty -g)"; "$0" "$@"; echo "ended $?"; echo "after $(stty -g)"; ' +
    'echo "all told"; read -r _'
  return startPty('/bin/sh', ['-c', script, process.execPath, bin, 'tui'], { columns: 100, rows: 30, ...options })
}

/** How it ended, and what it left of the terminal. */
export async function ending(terminal: Pty) {
  const text = await terminal.shows('all told')
  const told = (word: string) => new RegExp(`${word} (.+)`).exec(text)?.[1]
  return {
    code: Number(told('ended')),
    hasOldText: text.includes('what was here'),
    modes: told('before') === told('after') ? 'as before' : 'changed',
    screen: await terminal.buffer(),
  }
}

export const restored = { hasOldText: true, modes: 'as before', screen: 'normal' }
