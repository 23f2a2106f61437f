import { lengthOf } from './nested.ts'
import type { SourceItem } from './source.ts'

/**
 * Characters of records that are held at once, however many records are asked for: a text in JavaScript has a limit.
 */
const maxLength = 16 * 1024 * 1024

/** So many items, or fewer large ones. */
export async function* chunksOf(items: AsyncIterable<SourceItem>, size: number): AsyncGenerator<readonly SourceItem[]> {
  let chunk: SourceItem[] = []
  let length = 0
  for await (const item of items) {
    chunk.push(item)
    length += lengthOf(item.record)
    if (chunk.length < size && length < maxLength) continue
    yield chunk
    chunk = []
    length = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Makes the next one while the last one is used. */
export async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (let next = iterator.next(); ; ) {
      const { done, value } = await next
      if (done) return
      next = iterator.next()
      // The caller gets the error when it asks for this one.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}
