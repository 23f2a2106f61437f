import { commandWith, type GivenValues } from './command-line.ts'
import { type Field, type Fields, valueOfText } from './field.ts'
import type { FlowContext } from './flow-context.ts'
import { ifFound } from './if-answered.ts'
import type { ListPart } from './listing.ts'

/** The rows in one page. */
export const pageSize = 100

/** Where a page begins. */
export interface PageStart {
  /** What the page before said; undefined for the first. */
  readonly cursor: string | undefined
  /** The number of rows before it. */
  readonly offset: number
}

export type ReadPage<R> = (start: PageStart) => Promise<ListPart<R>>

/** A list that the service narrows and gives page by page, as its command does. R: the item as the service sends it. */
export interface Paged<R> {
  readonly listing: { readonly command: string; readonly fields: Fields }
  /** The fields of the command that a filter can name, as in `since:7d`. */
  readonly terms: readonly string[]
  /** The values for typed text that names no field. Without it, such text narrows only what is loaded. */
  readonly textValues?: (text: string) => GivenValues
  /** Why the service refuses these values together, though not each of them. */
  readonly conflict?: (values: GivenValues) => string | undefined
  /** What the list is limited to whatever the filter says, as the command says it. */
  readonly given?: GivenValues
  readonly flags?: readonly string[]
  /** Looks up once what the values name. */
  readonly ask: (context: Pick<FlowContext, 'signedIn' | 'now'>, values: GivenValues) => Promise<ReadPage<R>>
}

/** What a filter asks of the service, and what is left for the loaded rows. */
export interface Narrowing {
  readonly values: GivenValues
  readonly rest: string
  /** What of that the service is not asked for. */
  readonly unasked: string
  /** What is wrong with a term, which the service is not asked about. */
  readonly problem: string | undefined
}

/** Parses a filter such as `event:sign-in since:7d`. */
export function narrowingOf<R>(paged: Omit<Paged<R>, 'ask'>, text: string): Narrowing {
  const words = text.split(' ').map((word) => ({ word, term: termIn(paged, word) }))
  const terms = words.flatMap(({ term }) => (term && term.text !== '' ? [term] : []))
  const rest = words
    .flatMap(({ word, term }) => (term ? [] : [word]))
    .join(' ')
    .trim()
  const good = terms.filter((term) => problemOf(term) === undefined)
  const values = Object.fromEntries(good.map(({ name, field, text: value }) => [name, valueOfText(field, value)]))
  const conflict = paged.conflict?.(values)
  const problem = terms.map(problemOf).find((one) => one !== undefined) ?? conflict
  const asked = words.flatMap(({ word, term }) => (term || isNamed(word) ? [] : [word])).join(' ')
  const textValues = asked.trim() === '' ? {} : paged.textValues?.(asked.trim())
  const unasked = paged.textValues ? rest.split(' ').filter(isNamed).join(' ') : rest
  return { values: { ...(conflict === undefined && values), ...textValues }, rest, unasked, problem }
}

/** For a column of the loaded rows, not for the service. */
const isNamed = (word: string): boolean => /^\w{2,}:/.test(word)

interface Term {
  readonly name: string
  readonly field: Field
  readonly text: string
}

function termIn<R>({ listing, terms }: Pick<Paged<R>, 'listing' | 'terms'>, word: string): Term | undefined {
  const colon = word.indexOf(':')
  // A single letter stands before a colon in IPv6 addresses.
  if (colon < 2) return undefined
  const name = terms.find((one) => one.startsWith(word.slice(0, colon).toLowerCase()))
  const field = name === undefined ? undefined : listing.fields[name]
  return name !== undefined && field ? { name, field, text: word.slice(colon + 1) } : undefined
}

function problemOf({ name, field, text }: Term): string | undefined {
  const known = field.kind === 'toggle' ? ['yes', 'no'] : field.kind === 'choice' ? field.values : undefined
  if (known && !known.includes(text)) return `${name} is ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`
  return field.check?.(text, name)
}

/** The command that lists the same. */
export const pagedCommand = <R>(
  { listing, given, flags = [] }: Omit<Paged<R>, 'ask'>,
  values: GivenValues = {},
): string => commandWith(listing, [], { given: { ...given, ...values }, flags })

/** The pages for these values. There are none while the values name nobody, as when an address is half typed. */
export const readerOf = async <R>(
  paged: Paged<R>,
  context: Pick<FlowContext, 'signedIn' | 'now'>,
  values: GivenValues,
): Promise<ReadPage<R>> =>
  (await ifFound(paged.ask(context, values))) ?? (async () => ({ items: [], total: 0, next: null }))
