/** What a line editor does, which Ink's field would take for letters: Ctrl+U, Ctrl+W. */
const erasers: Readonly<Record<string, (text: string) => string>> = {
  '\u0015': () => '',
  '\u0017': (text) => text.replace(/\S*\s*$/, ''),
}
const endOfInput = '\u0004'
const escape = '\u001b'
/** Enter, tab, backspace, Ctrl+C and escape are Ink's own; no other control character is for a field. */
const kept = `\r\n\t\b\u007f\u0003${escape}`
/** A key each, and text as a whole: keys that come in one read would be letters to Ink. */
const strokes = new RegExp(`${escape}(?:\\[[0-?]*[ -/]*[@-~]|O[A-Za-z])?|\\r\\n?|\\p{Cc}|\\P{Cc}+`, 'gu')
/** Turns of the event loop in which React renders, commits and lets the next question listen. */
const turnsToSettle = 3

export interface Editing {
  readonly erase: (change: (text: string) => string) => void
  /** Ctrl+D. */
  readonly end: () => void
}

/** The terminal's input, a key or a text a read, each after what the one before did; some control characters edit. */
export function typedInput(stdin: NodeJS.ReadStream, editing: Editing): NodeJS.ReadStream {
  const queue: string[] = []
  let turnsLeft = 0
  const tick = () => {
    turnsLeft -= 1
    if (turnsLeft > 0) setImmediate(tick)
    else stdin.emit('readable')
  }
  const read = (): string | null => {
    if (turnsLeft > 0) return null
    if (queue.length === 0) queue.push(...(String(stdin.read() ?? '').match(strokes) ?? []))
    const stroke = queue.shift()
    if (stroke === undefined) return null
    turnsLeft = turnsToSettle
    setImmediate(tick)
    return take(stroke, editing)
  }
  return new Proxy(stdin, {
    get: (target, name) => {
      if (name === 'read') return read
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function take(stroke: string, { erase, end }: Editing): string {
  const change = erasers[stroke]
  if (change) erase(change)
  if (stroke === endOfInput) end()
  return /^\p{Cc}/u.test(stroke) && !kept.includes(stroke.charAt(0)) ? '' : stroke.replace('\r\n', '\r')
}
