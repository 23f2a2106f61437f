import { rankMatches } from '../search/ranking.ts'
import { type LineTerminal, QuestionLeft } from './line-terminal.ts'

export interface MenuItem {
  readonly label: string
  /** Why it cannot be chosen now. The item stays listed. */
  readonly disabledReason?: string | undefined
  readonly run: () => Promise<void>
}

/** A longer list is tedious when read aloud. */
const pageSize = 20

interface NumberedItem extends MenuItem {
  readonly number: number
}

/** What is read of a list: the matches of a typed text, and the page that begins at an index. */
interface Shown {
  readonly all: readonly NumberedItem[]
  readonly items: readonly NumberedItem[]
  readonly start: number
}

/** Asks the service for more items; none at the end. */
type ReadMore = () => Promise<readonly MenuItem[]>

const noMore: ReadMore = async () => []

/**
 * Reads the question, then a numbered list in pages, and runs the chosen item. A typed text narrows the list, whose
 * items keep their numbers. At its end more is read. `0` or a dot leaves it. Returns whether an item was run.
 */
export async function chooseFromMenu(
  terminal: LineTerminal,
  items: readonly MenuItem[],
  zero: string,
  readMore = noMore,
): Promise<boolean> {
  const all = numbered(items)
  let shown: Shown = { all, items: all, start: 0 }
  readPage(terminal, shown, zero)
  for (;;) {
    const answer = await fallbackIfLeft(terminal.ask('Number:'), '0')
    if (answer === '0') return false
    const item = chosenItem(answer, shown.all, terminal)
    if (item && !item.disabledReason) {
      // Leaving a question ends the chosen item too.
      await fallbackIfLeft(item.run(), undefined)
      return true
    }
    const next = item ? undefined : await shownAfter(answer, shown, readMore)
    if (item) terminal.say(`${item.label}: ${item.disabledReason}.`)
    else if (!next) terminal.say(`Nothing matches. Type a number from 0 to ${shown.all.length}, or part of a name.`)
    else readPage(terminal, (shown = next), zero)
  }
}

/** The item with that number, or what the terminal offers besides the list. */
function chosenItem(
  answer: string,
  all: readonly MenuItem[],
  { aside }: Pick<LineTerminal, 'aside'>,
): MenuItem | undefined {
  if (aside?.label === answer) return aside
  return /^\d{1,4}$/.test(answer) ? all[Number(answer) - 1] : undefined
}

const numbered = (items: readonly MenuItem[], before = 0): readonly NumberedItem[] =>
  items.map((item, index) => ({ ...item, number: before + index + 1 }))

/** The page after an empty answer, from the first again after the last, or the matches of a text. */
async function shownAfter(answer: string, shown: Shown, readMore: ReadMore): Promise<Shown | undefined> {
  if (answer === '') return pageAfter(shown, readMore)
  const found = /^\d+$/.test(answer) ? [] : rankMatches(shown.all, answer)
  return found.length > 0 ? { ...shown, items: found, start: 0 } : undefined
}

async function pageAfter({ all, items, start }: Shown, readMore: ReadMore): Promise<Shown> {
  if (start + pageSize < items.length) return { all, items, start: start + pageSize }
  const more = items === all ? numbered(await readMore(), all.length) : []
  if (more.length === 0) return { all, items, start: 0 }
  const longer = [...all, ...more]
  return { all: longer, items: longer, start: all.length }
}

function readPage(terminal: LineTerminal, { items, start }: Shown, zero: string): void {
  const page = items.slice(start, start + pageSize)
  const isPaged = items.length > pageSize
  terminal.say()
  terminal.say(`Choose a number, or type part of a name${isPaged ? '; an empty answer reads on' : ''}.`)
  if (isPaged) terminal.say(`${start + 1} to ${start + page.length} of ${items.length}.`)
  for (const { number, label, disabledReason } of page)
    terminal.say(`${number}. ${label}${disabledReason ? ` (refused: ${disabledReason})` : ''}`)
  terminal.say(`0. ${zero}`)
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
