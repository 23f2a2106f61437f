import { beforeAll } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, type PtyOptions, startPty } from '../../testing/pty.ts'

/** Starts the terminal UI, as a program of its own, in a pseudo-terminal. */
export function useTui(): (options: PtyOptions) => Pty {
  let program: string
  beforeAll(async () => {
    program = await bundle(new URL('tui.fixture.ts', import.meta.url))
  })
  return (options) => startPty(process.execPath, [program], options)
}
