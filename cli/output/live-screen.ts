// The alternate screen, without line wrapping, so that a narrower window moves no line.
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l'
/** The terminal shows what is between these two at once. */
const [frameBegins, frameEnds] = ['\u001b[?2026h', '\u001b[?2026l']
const [home, clearLine, clearBelow] = ['\u001b[H', '\u001b[K', '\u001b[J']

/** Text that is drawn again in place. Lines are overwritten, not cleared first, so that nothing flickers. */
export class LiveScreen {
  readonly #stdout: NodeJS.WriteStream
  #shown: string | undefined

  constructor(stdout: NodeJS.WriteStream) {
    this.#stdout = stdout
    this.open()
  }

  /** Also after `close`. */
  open(): void {
    this.#shown = undefined
    this.#stdout.write(enter)
  }

  /** `foot` is always visible; what has no room above it is counted. */
  draw(lines: readonly string[], foot: readonly string[]): void {
    const room = Math.max(1, (this.#stdout.rows || 24) - foot.length - 1)
    const fitting =
      lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`] : lines
    const text = [...fitting, '', ...foot].map((line) => `${line}${clearLine}`).join('\r\n')
    const frame = `${home}${text}${clearBelow}`
    if (frame === this.#shown) return
    this.#shown = frame
    this.#stdout.write(`${frameBegins}${frame}${frameEnds}`)
  }

  close(): void {
    this.#stdout.write(leave)
  }
}
