import type { Detail } from '../details/detail.ts'
import type { LineTerminal } from './line-terminal.ts'

/** A thing in the words of its screen, a line for each of its parts. */
export function tellDetail(terminal: LineTerminal, { facts, texts = [] }: Detail): void {
  for (const { label, value } of facts) terminal.say(`${label}: ${value}`)
  for (const { text } of texts) terminal.say(text)
}
