import { EventEmitter } from 'node:events'

/**
 * The terminal's output for Ink. It tells no height: Ink would answer a frame that was taller than a window just made
 * smaller by wiping the scrollback. Closed, it swallows what Ink still paints while it unmounts.
 */
export class Canvas extends EventEmitter {
  readonly isTTY = true
  readonly rows = Number.MAX_SAFE_INTEGER
  readonly #stdout: NodeJS.WriteStream
  #isOpen = true

  constructor(stdout: NodeJS.WriteStream) {
    super()
    this.#stdout = stdout
  }

  get columns(): number {
    return this.#stdout.columns || 80
  }

  write(text: string): boolean {
    return this.#isOpen ? this.#stdout.write(text) : true
  }

  close(): void {
    this.#isOpen = false
  }
}
