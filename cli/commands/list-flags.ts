import type { Command } from 'commander'
import type { Fields } from '../flows/field.ts'
import type { Listing, ListPart } from '../flows/listing.ts'
import { usageError } from '../output/cli-error.ts'
import { answerTypesOf } from '../output/json.ts'

/** How a list that comes whole is arranged. A list that comes in pages has flags of its own, which its call knows. */
interface Arrangement {
  /** A field; `-` before it: in descending order. */
  readonly sort?: string
  readonly limit?: string
}

const isPaged = ({ fields }: Pick<Listing<object>, 'fields'>): boolean => Object.hasOwn(fields, 'limit')

export const addListFlags = (command: Command, listing: Pick<Listing<object>, 'fields'>): Command =>
  isPaged(listing)
    ? command
    : command
        .option('--sort <field>', 'sort by a field; -field sorts in descending order')
        .option('--limit <n>', 'how many to show')

/** The list with its items sorted and cut. Checked before anything is asked. */
export function arranged<T extends object, F extends Fields>(
  listing: Listing<T, F>,
  { sort, limit }: Arrangement,
): Listing<T, F> {
  if (isPaged(listing) || (sort === undefined && limit === undefined)) return listing
  const compare = sort === undefined ? undefined : comparisonOf(sort, Object.keys(answerTypesOf(listing.answer)))
  const most = limit === undefined ? undefined : countOf(limit)
  return {
    ...listing,
    list: async (context, values): Promise<ListPart<T>> => {
      const listed = await listing.list(context, values)
      const part = 'items' in listed ? listed : { items: listed, total: listed.length, next: null }
      const items = compare ? part.items.toSorted(compare) : part.items
      return { ...part, items: items.slice(0, most) }
    },
  }
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

const texts = new Intl.Collator('en', { numeric: true })

/** What is missing comes last in either order. */
function compareValues(one: unknown, other: unknown, sign: number): number {
  const missing = Number(isMissing(one)) - Number(isMissing(other))
  return missing !== 0 || isMissing(one) ? missing : sign * texts.compare(sortText(one), sortText(other))
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === ''

const sortText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))
