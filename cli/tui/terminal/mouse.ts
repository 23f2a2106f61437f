/** What a mouse did at a cell of the window. The first column and the first line are 0. */
export interface MouseReport {
  readonly kind: 'press' | 'drag' | 'release' | 'wheel-up' | 'wheel-down'
  readonly column: number
  readonly line: number
}

/** Switches on reports of buttons and of motion while a button is held, in the SGR form that has no widest column. */
export const mouseOn = '\u001b[?1002h\u001b[?1006h'
export const mouseOff = '\u001b[?1006l\u001b[?1002l'

const begins = '\u001b[<'
// Button and modifiers, column and line from 1, and `m` when a button is released.
const report = /^(\d{1,3});(\d{1,5});(\d{1,5})([Mm])$/
/** Shift, Alt and Ctrl, which mean nothing here. */
const modifiers = 4 + 8 + 16
const motion = 32
const wheels: Readonly<Record<number, MouseReport['kind']>> = { 64: 'wheel-up', 65: 'wheel-down' }

/** Whether the sequence is a report of a mouse. */
export const isMouse = (text: string): boolean => text.startsWith(begins) && report.test(text.slice(begins.length))

/** Undefined for what has no meaning here, such as the other buttons. */
export function parseMouse(text: string): MouseReport | undefined {
  const [, buttons, column, line, final] = (isMouse(text) && report.exec(text.slice(begins.length))) || []
  const kind = kindOf(Number(buttons) & ~modifiers, final === 'm')
  return kind && { kind, column: Number(column) - 1, line: Number(line) - 1 }
}

function kindOf(button: number, isRelease: boolean): MouseReport['kind'] | undefined {
  if (button === motion) return 'drag'
  if (button === 0) return isRelease ? 'release' : 'press'
  return wheels[button]
}
