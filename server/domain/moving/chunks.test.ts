import { describe, expect, it } from 'vitest'
import { chunksOf, oneAhead } from './chunks.ts'
import type { SourceItem } from './source.ts'

async function* items(records: readonly unknown[]): AsyncGenerator<SourceItem> {
  for (const [line, record] of records.entries()) yield { line, position: String(line), record }
}

async function sizesOf(records: readonly unknown[], size: number): Promise<readonly number[]> {
  const sizes: number[] = []
  for await (const chunk of chunksOf(items(records), size)) sizes.push(chunk.length)
  return sizes
}

describe('a chunk', () => {
  it('has as many records as asked', async () => {
    expect(await sizesOf([1, 2, 3, 4, 5], 2)).toEqual([2, 2, 1])
  })

  it('has fewer when they are large, wherever in them the text is', async () => {
    const text = 'x'.repeat(1024 * 1024)
    const large = [{ name: text }, { metadata: { a: [text] } }, { fields: { [text]: 1 } }]
    expect(
      await sizesOf(
        Array.from({ length: 40 }, (_, n) => large[n % 3]),
        100_000,
      ),
    ).toEqual([16, 16, 8])
  })
})

describe('one ahead', () => {
  async function* told(events: string[], fails = false): AsyncGenerator<number> {
    try {
      for (const n of [1, 2, 3]) {
        events.push(`made ${n}`)
        if (fails && n === 2) throw new Error('no more')
        yield n
      }
    } finally {
      events.push('closed')
    }
  }

  it('makes the next one while the last one is used', async () => {
    const events: string[] = []
    for await (const n of oneAhead(told(events))) {
      await new Promise(setImmediate)
      events.push(`used ${n}`)
    }
    expect(events).toEqual(['made 1', 'made 2', 'used 1', 'made 3', 'used 2', 'closed', 'used 3'])
  })

  it('tells a failure where its turn is, and closes what is not read to its end', async () => {
    const events: string[] = []
    const use = async () => {
      for await (const n of oneAhead(told(events, true))) events.push(`used ${n}`)
    }
    await expect(use()).rejects.toThrow('no more')
    expect(events).toEqual(['made 1', 'made 2', 'closed', 'used 1'])
    const left: string[] = []
    for await (const _ of oneAhead(told(left))) break
    expect(left.at(-1)).toBe('closed')
  })
})
