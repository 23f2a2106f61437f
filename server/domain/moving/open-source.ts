import { fileSource, streamSource } from './file-source.ts'
import type { Source } from './source.ts'

/** What to move in. */
export type SourceRequest =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: AsyncIterable<Buffer> }

export interface OpenedSource {
  readonly source: Source
  close(): Promise<void>
}

export async function openSource(asked: SourceRequest): Promise<OpenedSource> {
  const close = () => Promise.resolve()
  if (asked.kind === 'stream') return { source: streamSource(asked.stream), close }
  return { source: await fileSource(asked.path), close }
}
