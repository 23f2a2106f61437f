import type { FirebaseProject } from '../../crypto/stored-hash/foreign-hash.ts'
import { openSnapshot } from '../../db/moving/foreign-tables.ts'
import { betterAuthSource } from './better-auth/database-source.ts'
import type { MapFile } from './better-auth/names.ts'
import { exportSource, type Product, supabaseSource } from './converters/converted-source.ts'
import { fileSource, streamSource } from './file-source.ts'
import type { Source } from './source.ts'

/** What to move in. */
export type SourceRequest =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: AsyncIterable<Buffer> }
  | {
      readonly kind: 'export'
      readonly product: Product
      readonly files: readonly string[]
    }
  | { readonly kind: 'supabase'; readonly from: string }
  | {
      readonly kind: 'better-auth'
      /** The address of its database. */
      readonly from: string
      readonly schema: string
      readonly map: MapFile
      readonly isSince: boolean
    }

export interface OpenedSource {
  readonly source: Source
  close(): Promise<void>
}

export async function openSource(asked: SourceRequest, project?: FirebaseProject): Promise<OpenedSource> {
  const close = () => Promise.resolve()
  if (asked.kind === 'stream') return { source: streamSource(asked.stream), close }
  if (asked.kind === 'file') return { source: await fileSource(asked.path), close }
  if (asked.kind === 'export') return { source: await exportSource(asked.product, asked.files, { project }), close }
  const snapshot = await openSnapshot(asked.from)
  try {
    const { tx } = snapshot
    const isSupabase = asked.kind === 'supabase'
    const source = isSupabase ? await supabaseSource(tx, asked.from) : await betterAuthSource(tx, asked.from, asked)
    return { source, close: () => snapshot.end() }
  } catch (error) {
    await snapshot.end()
    throw error
  }
}
