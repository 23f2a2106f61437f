import { EventEmitter } from 'node:events'
import { render } from 'ink'
import type { ReactElement } from 'react'

/** One frame, as text. */
export function painted(node: ReactElement, columns: number): string {
  const frames: string[] = []
  const stdout = Object.assign(new EventEmitter(), { columns, write: (text: string) => void frames.push(text) })
  const app = render(node, { stdout: stdout as unknown as NodeJS.WriteStream, debug: true, patchConsole: false })
  const shown = frames.at(-1) ?? ''
  // Where CI is set, Ink writes once more as it ends: an empty line.
  app.unmount()
  return shown.trimEnd()
}
