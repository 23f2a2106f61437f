import { EventEmitter } from 'node:events'
import { render } from 'ink'
import type { ReactElement } from 'react'

/** Renders one frame as text. */
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
  app.unmount()
  return (frames.at(-1) ?? '').trimEnd()
}

/** An input stream without input, for components that listen to keys. */
const nobodyTypes = () => {
  const ignore = () => undefined
  const calls = { setRawMode: ignore, setEncoding: ignore, ref: ignore, unref: ignore, read: () => null }
  return Object.assign(new EventEmitter(), { isTTY: true, ...calls }) as unknown as NodeJS.ReadStream
}
