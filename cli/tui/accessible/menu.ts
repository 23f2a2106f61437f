import { type LineTerminal, QuestionLeft } from './line-terminal.ts'

export interface MenuItem {
  readonly label: string
  /** Why it cannot be chosen now. The item stays listed. */
  readonly disabledReason?: string | undefined
  readonly run: () => Promise<void>
}

/** Prints a numbered list and runs the chosen item. `0` or a dot leaves it. Returns whether an item was run. */
export async function chooseFromMenu(
  terminal: LineTerminal,
  items: readonly MenuItem[],
  zero: string,
): Promise<boolean> {
  terminal.say()
  for (const [index, { label, disabledReason }] of items.entries()) {
    terminal.say(`${index + 1}. ${label}${disabledReason ? ` (refused: ${disabledReason})` : ''}`)
  }
  terminal.say(`0. ${zero}`)
  for (;;) {
    const answer = await fallbackIfLeft(terminal.ask('Number:'), '0')
    if (answer === '0') return false
    const item = /^\d{1,4}$/.test(answer) ? items[Number(answer) - 1] : undefined
    if (!item) terminal.say(`Type a number from 0 to ${items.length}.`)
    else if (item.disabledReason) terminal.say(`${item.label}: ${item.disabledReason}.`)
    else {
      // Leaving a question ends the chosen item too.
      await fallbackIfLeft(item.run(), undefined)
      return true
    }
  }
}

/** Returns `left` when the user leaves the question. */
export async function fallbackIfLeft<T>(asked: Promise<T>, left: T): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof QuestionLeft) return left
    throw error
  }
}
