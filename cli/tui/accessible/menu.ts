import { countOf } from '../../flows/resource.ts'
import { countText } from '../../output/words.ts'
import { rankMatches } from '../search/ranking.ts'
import { type LineTerminal, QuestionLeft } from './line-terminal.ts'

export interface MenuItem {
  readonly label: string
  /** Why it cannot be chosen now. The item stays listed. */
  readonly disabledReason?: string | undefined
  /** It acts on the list itself, so it is read with every page. */
  readonly isOfList?: boolean | undefined
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
  /** There may be more at the service. */
  readonly mayGrow: boolean
}

/** Where a list was left, so that it is read from there when it is shown again. */
export interface ListPlace {
  start: number
  typed?: string | undefined
}

interface MenuOptions {
  /** What `0` does, in a word. Default: Back. */
  readonly zero?: string
  /** Asks the service for more items; none at the end. */
  readonly readMore?: () => Promise<readonly MenuItem[]>
  readonly place?: ListPlace
}

const noMore = async (): Promise<readonly MenuItem[]> => []

/**
 * Reads the question, then a numbered list in pages, and runs the chosen item. A typed text narrows the list, whose
 * items keep their numbers. At its end more is read. `0` or a dot leaves it. Returns whether an item was run.
 */
export async function chooseFromMenu(
  terminal: LineTerminal,
  items: readonly MenuItem[],
  options: MenuOptions = {},
): Promise<boolean> {
  const { zero, readMore, place } = { zero: 'Back', readMore: noMore, place: { start: 0 }, ...options }
  let shown = shownAt(numbered(items), place, options.readMore !== undefined)
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
    if (next) {
      readPage(terminal, (shown = next), zero)
      keepPlace(place, next, answer)
    } else terminal.say(item ? `${item.label}: ${item.disabledReason}.` : nothingMatches(shown.all.length))
  }
}

/** An empty answer reads on in what was typed before. */
function keepPlace(place: ListPlace, { all, items, start }: Shown, answer: string): void {
  place.start = start
  place.typed = items === all ? undefined : answer || place.typed
}

/** What was read last of the list, if it still exists. */
function shownAt(all: readonly NumberedItem[], { start, typed }: ListPlace, mayGrow: boolean): Shown {
  const found = typed === undefined ? [] : matchesOf(all, typed)
  const items = found.length > 0 ? found : all
  return { all, items, start: start < rowsOf(items).length ? start : 0, mayGrow }
}

const nothingMatches = (last: number): string =>
  `Nothing matches. Type a number from 0 to ${last}, or part of a name; an empty answer reads the list.`

/** The item with that number, or what the terminal offers besides the list. */
function chosenItem(
  answer: string,
  all: readonly MenuItem[],
  { extraAnswer }: Pick<LineTerminal, 'extraAnswer'>,
): MenuItem | undefined {
  if (extraAnswer?.label === answer) return extraAnswer
  return /^\d+$/.test(answer) ? all[Number(answer) - 1] : undefined
}

const numbered = (items: readonly MenuItem[], before = 0): readonly NumberedItem[] =>
  items.map((item, index) => ({ ...item, number: before + index + 1 }))

/** The page after an empty answer, from the first of the whole list again after the last, or the matches of a text. */
async function shownAfter(answer: string, shown: Shown, readMore: typeof noMore): Promise<Shown | undefined> {
  if (answer === '') return pageAfter(shown, readMore)
  const found = /^\d+$/.test(answer) ? [] : matchesOf(shown.all, answer)
  return found.length > 0 ? { ...shown, items: found, start: 0 } : undefined
}

/**
 * Those that contain the text, in the order of their numbers. Otherwise those with its letters in order: a scattered
 * match is tedious to hear.
 */
function matchesOf(all: readonly NumberedItem[], typed: string): readonly NumberedItem[] {
  const literal = all.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
  return literal.length > 0 ? literal : rankMatches(all, typed)
}

const rowsOf = (items: readonly NumberedItem[]): readonly NumberedItem[] => items.filter(({ isOfList }) => !isOfList)

async function pageAfter(shown: Shown, readMore: typeof noMore): Promise<Shown> {
  const { all, items, start } = shown
  if (!isLastPage(shown)) return { ...shown, start: start + pageSize }
  const more = items === all ? numbered(await readMore(), all.length) : []
  if (more.length === 0) return { ...shown, items: all, start: 0 }
  const longer = [...all, ...more]
  return { ...shown, all: longer, items: longer, start: rowsOf(all).length }
}

const isLastPage = ({ items, start }: Shown): boolean => start + pageSize >= rowsOf(items).length

function readPage(terminal: LineTerminal, shown: Shown, zero: string): void {
  const { items, start } = shown
  const page = rowsOf(items).slice(start, start + pageSize)
  terminal.say()
  if (shown.all.length > 0) {
    terminal.say(`Choose a number, or type part of a name${emptyAnswerIn(shown)}.`)
    terminal.say(`${positionIn(shown)}.`)
  }
  for (const { number, label, disabledReason } of [...page, ...items.filter(({ isOfList }) => isOfList)])
    terminal.say(`${number}. ${label}${disabledReason ? ` (refused: ${disabledReason})` : ''}`)
  terminal.say(`0. ${zero}`)
}

function emptyAnswerIn(shown: Shown): string {
  const { all, items, mayGrow } = shown
  const isWhole = items === all
  if (!isLastPage(shown) || (isWhole && mayGrow)) return '; an empty answer reads on'
  if (!isWhole) return '; an empty answer reads the whole list'
  return rowsOf(items).length > pageSize ? '; an empty answer begins again' : ''
}

/** `9 choices`, `1 to 20 of 331`, `Matches: 2 of 331` */
function positionIn({ all, items, start }: Shown): string {
  const matches = items === all ? '' : 'Matches: '
  const rows = rowsOf(items).length
  if (rows > pageSize)
    return `${matches}${countText(start + 1)} to ${countText(Math.min(start + pageSize, rows))} of ${countText(rows)}`
  return matches
    ? `${matches}${countText(items.length)} of ${countText(all.length)}`
    : countOf({ noun: 'choice' }, all.length)
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
