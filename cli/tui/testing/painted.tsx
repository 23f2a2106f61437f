import { EventEmitter } from 'node:events'
import { Box, type DOMElement, render } from 'ink'
import type { ReactElement } from 'react'
import { overpainted } from './overpainted.ts'

/** Renders one frame as text. */
export const painted = (node: ReactElement, columns: number): string => paintedWithFaults(node, columns).frame

/** The same with the texts that are painted over one another. */
export function paintedWithFaults(
  node: ReactElement,
  columns: number,
): { readonly frame: string; readonly faults: readonly string[] } {
  let faults: readonly string[] = []
  let root: DOMElement | undefined
  const look = (mark: DOMElement | null) => {
    root = mark?.parentNode ?? root
  }
  const frames: string[] = []
  const stdout = Object.assign(new EventEmitter(), { columns, write: (text: string) => void frames.push(text) })
  const options = {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: nobodyTypes(),
    debug: true,
    patchConsole: false,
  }
  const app = render(
    <>
      <Box display="none" ref={look} />
      {node}
    </>,
    options,
  )
  if (root) faults = overpainted(root)
  app.unmount()
  return { frame: (frames.at(-1) ?? '').trimEnd(), faults }
}

/** An input stream without input, for components that listen to keys. */
const nobodyTypes = () => {
  const ignore = () => undefined
  const calls = { setRawMode: ignore, setEncoding: ignore, ref: ignore, unref: ignore, read: () => null }
  return Object.assign(new EventEmitter(), { isTTY: true, ...calls }) as unknown as NodeJS.ReadStream
}
