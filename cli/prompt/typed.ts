/** What a line editor does, which Ink's field would take for letters: Ctrl+U, Ctrl+W. */
const erasers: Readonly<Record<string, (text: string) => string>> = {
  '\u0015': () => '',
  '\u0017': (text) => text.replace(/\S*\s*$/, ''),
}
const endOfInput = '\u0004'
/** Enter, tab, backspace, Ctrl+C and escape sequences are Ink's own; no other control character is for a field. */
const kept = '\r\n\t\b\u007f\u0003\u001b'

export interface Editing {
  readonly erase: (change: (text: string) => string) => void
  /** Ctrl+D. */
  readonly end: () => void
}

/** The terminal's input without the control characters that a field would keep as letters; some of them edit. */
export function typedInput(stdin: NodeJS.ReadStream, editing: Editing): NodeJS.ReadStream {
  const read = () => {
    const chunk: Buffer | string | null = stdin.read()
    return chunk === null ? null : withoutControls(chunk.toString(), editing)
  }
  return new Proxy(stdin, {
    get: (target, name) => {
      if (name === 'read') return read
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function withoutControls(chunk: string, { erase, end }: Editing): string {
  for (const control of chunk) {
    const change = erasers[control]
    if (change) erase(change)
  }
  if (chunk === endOfInput) end()
  return chunk.replaceAll(/\p{Cc}/gu, (control) => (kept.includes(control) ? control : ''))
}
