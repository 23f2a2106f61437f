import { hash } from 'node:crypto'
import type { Driver } from '../../../db/connect.ts'
import { digestOfFile } from '../file-source.ts'
import type { Source, SourceItem } from '../source.ts'
import { convertAuth0 } from './auth0.ts'
import { convertClerk } from './clerk.ts'
import type { Converted, Converter, ConverterParts } from './converter.ts'
import { convertFirebase } from './firebase.ts'
import { convertKeycloak } from './keycloak.ts'
import { convertSupabase, openSupabase } from './supabase.ts'

const converters = {
  auth0: convertAuth0,
  clerk: convertClerk,
  firebase: convertFirebase,
  keycloak: convertKeycloak,
  supabase: convertSupabase,
} as const satisfies Record<string, Converter>

/** Whose files mostly do not tell who has a second factor there: nobody in them says nothing. */
const untold: ReadonlySet<Product> = new Set(['auth0', 'firebase', 'supabase'])

/** Services whose own exports are read. */
export type Product = keyof typeof converters

/** The files that another service exported. */
export async function exportSource(product: Product, files: readonly string[], parts: ConverterParts): Promise<Source> {
  const digests = await Promise.all(files.map(digestOfFile))
  const convert = () => converters[product](files, parts)
  const told = await countSecondFactors(convert())
  const secondFactors = told === 0 && untold.has(product) ? null : told
  return convertedSource([product, ...digests, JSON.stringify(parts)], convert, secondFactors)
}

/** Reads all of it before anything is stored. */
async function countSecondFactors(records: AsyncIterable<Converted>): Promise<number> {
  let count = 0
  for await (const { hasSecondFactor } of records) if (hasSecondFactor) count += 1
  return count
}

/** The schema `auth` of a database of Supabase. @throws Error with a sentence, when it has none. */
export async function supabaseSource(sql: Driver, address: string): Promise<Source> {
  const { host, pathname } = new URL(address)
  const { convert, secondFactors } = await openSupabase(sql)
  const source = convertedSource(['supabase', host, pathname], convert, secondFactors)
  // Each run sees other rows, so a count says nothing of where an earlier one ended.
  return { ...source, read: () => itemsOf(convert(), 0) }
}

/** Records are counted, also those before the place where an earlier run ended. */
const convertedSource = (
  identity: readonly string[],
  convert: () => AsyncIterable<Converted>,
  secondFactors: number | null,
): Source => ({
  identity: `export ${hash('sha256', identity.join(' '))}`,
  size: null,
  secondFactors,
  canBeReadAgain: true,
  read: (position) => itemsOf(convert(), Number(position ?? 0)),
  done: ({ line }) => line,
})

async function* itemsOf(records: AsyncIterable<Converted>, position: number): AsyncGenerator<SourceItem> {
  let line = 0
  for await (const { hasSecondFactor: _, ...converted } of records) {
    line += 1
    if (line > position) yield { line, position: String(line), ...converted }
  }
}
