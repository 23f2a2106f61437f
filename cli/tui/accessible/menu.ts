import type { LineTerminal } from './line-terminal.ts'

export interface MenuItem {
  readonly label: string
  /** Why it cannot be chosen now; it stays in the list. */
  readonly disabledReason?: string | undefined
  readonly run: () => Promise<void>
}

/** Reads a numbered list out and runs what is chosen; `0` ends it. Answers whether something was run. */
export async function choose(terminal: LineTerminal, items: readonly MenuItem[], zero: string): Promise<boolean> {
  terminal.say()
  for (const [index, { label, disabledReason }] of items.entries()) {
    terminal.say(`${index + 1}. ${label}${disabledReason ? ` (refused: ${disabledReason})` : ''}`)
  }
  terminal.say(`0. ${zero}`)
  for (;;) {
    const answer = await terminal.ask('Number:')
    if (answer === '0') return false
    const item = /^\d{1,4}$/.test(answer) ? items[Number(answer) - 1] : undefined
    if (!item) terminal.say(`Type a number from 0 to ${items.length}.`)
    else if (item.disabledReason) terminal.say(`${item.label}: ${item.disabledReason}.`)
    else {
      await item.run()
      return true
    }
  }
}
