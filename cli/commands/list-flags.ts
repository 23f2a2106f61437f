import type { Command } from 'commander'
import type { Fields } from '../flows/field.ts'
import type { Listing, ListPart } from '../flows/listing.ts'
import { usageError } from '../output/cli-error.ts'
import { type AnswerFields, answerTypesOf } from '../output/json.ts'
import { partOf } from './list-part.ts'

/** How a list that comes whole is arranged. A list that comes in pages has flags of its own, which its call knows. */
export interface Arrangement {
  /** A field; `-` before it: in descending order. */
  readonly sort?: string
  readonly limit?: string
}

const isPaged = ({ fields }: Pick<Listing<object>, 'fields'>): boolean => Object.hasOwn(fields, 'limit')

export const addColumnsFlag = (command: Command): Command =>
  command.option('--columns <fields>', 'show only these fields: a,b')

export const addArrangementFlags = (command: Command): Command =>
  command
    .option('--sort <field>', 'sort by a field; -field sorts in descending order')
    .option('--limit <n>', 'how many to show')

export const addListFlags = (command: Command, listing: Pick<Listing<object>, 'fields'>): Command =>
  isPaged(listing) ? command : addArrangementFlags(command)

/** The list with its items sorted and cut. Checked before anything is asked. */
export function arranged<T extends object, F extends Fields>(
  listing: Listing<T, F>,
  arrangement: Arrangement,
): Listing<T, F> {
  const arrange = isPaged(listing) ? undefined : arrangerOf(listing.answer, arrangement)
  return arrange ? { ...listing, list: async (...asked) => arrange(partOf(await listing.list(...asked))) } : listing
}

/** Sorts and cuts items with these fields. Undefined if neither is wanted. */
export function arrangerOf(
  answer: AnswerFields,
  { sort, limit }: Arrangement,
): (<T extends object>(part: ListPart<T>) => ListPart<T>) | undefined {
  if (sort === undefined && limit === undefined) return undefined
  const compare = sort === undefined ? undefined : comparisonOf(sort, Object.keys(answerTypesOf(answer)))
  const most = limit === undefined ? undefined : countOf(limit)
  return (part) => ({ ...part, items: (compare ? part.items.toSorted(compare) : part.items).slice(0, most) })
}

function countOf(limit: string): number {
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit)
  throw usageError(`--limit is a number of at least 1, not ${limit}`, undefined, ['--limit'])
}

function comparisonOf(sort: string, known: readonly string[]): (one: object, other: object) => number {
  const name = sort.replace(/^-/, '')
  if (!known.includes(name))
    throw usageError(`Unknown field for --sort: ${name}`, `Fields: ${known.join(', ')}`, ['--sort'])
  const sign = sort.startsWith('-') ? -1 : 1
  return (one, other) => compareValues(Reflect.get(one, name), Reflect.get(other, name), sign)
}

let texts: Intl.Collator | undefined
/** Made on first use: a collator takes 3 MB, and most runs sort nothing. */
const textOrder = () => (texts ??= new Intl.Collator('en', { numeric: true }))

/** What is missing comes last in either order. */
function compareValues(one: unknown, other: unknown, sign: number): number {
  const missing = Number(isMissing(one)) - Number(isMissing(other))
  return missing !== 0 || isMissing(one) ? missing : sign * textOrder().compare(sortText(one), sortText(other))
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === ''

const sortText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))
