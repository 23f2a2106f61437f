import { EventEmitter } from 'node:events'
import { render } from 'ink'
import type { ReactElement } from 'react'

/** One frame, as text. */
export function painted(node: ReactElement, columns: number): string {
  const frames: string[] = []
  const stdout = Object.assign(new EventEmitter(), { columns, write: (text: string) => void frames.push(text) })
  const options = {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: nobodyTypes(),
    debug: true,
    patchConsole: false,
  }
  const app = render(node, options)
  const shown = frames.at(-1) ?? ''
  // Where CI is set, Ink writes once more as it ends: an empty line.
  app.unmount()
  return shown.trimEnd()
}

/** A terminal's, for what listens to keys. */
const nobodyTypes = () => {
  const ignore = () => undefined
  const calls = { setRawMode: ignore, setEncoding: ignore, ref: ignore, unref: ignore, read: () => null }
  return Object.assign(new EventEmitter(), { isTTY: true, ...calls }) as unknown as NodeJS.ReadStream
}
