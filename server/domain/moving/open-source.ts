import { openSnapshot } from '../../db/moving/foreign-tables.ts'
import { betterAuthSource } from './better-auth/database-source.ts'
import type { MapFile } from './better-auth/names.ts'
import { fileSource, streamSource } from './file-source.ts'
import type { Source } from './source.ts'

/** What to move in. */
export type SourceRequest =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: AsyncIterable<Buffer> }
  | {
      readonly kind: 'better-auth'
      /** The address of its database. */
      readonly from: string
      readonly schema: string
      readonly map: MapFile
      readonly since: string | null
    }

export interface OpenedSource {
  readonly source: Source
  close(): Promise<void>
}

export async function openSource(asked: SourceRequest): Promise<OpenedSource> {
  const close = () => Promise.resolve()
  if (asked.kind === 'stream') return { source: streamSource(asked.stream), close }
  if (asked.kind === 'file') return { source: await fileSource(asked.path), close }
  const snapshot = await openSnapshot(asked.from)
  try {
    return { source: await betterAuthSource(snapshot.tx, asked.from, asked), close: () => snapshot.end() }
  } catch (error) {
    await snapshot.end()
    throw error
  }
}
