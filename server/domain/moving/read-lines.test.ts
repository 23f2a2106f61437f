import { expect, it } from 'vitest'
import { readLines } from './read-lines.ts'

const lines = ['one', '', '\uFEFFtwo', 'ümläut 🙂', '\xff', 'three', 'x'.repeat(40), 'last']
const bytes = Buffer.concat(
  lines.flatMap((line) => [line === '\xff' ? Buffer.from([0xff]) : Buffer.from(line), Buffer.from('\n')]),
)

async function* cut(size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it('lines are the same wherever a stream is cut, and each tells the byte after it', async () => {
  const expected = lines.map((line) => (line === '\xff' ? 'NOT_UTF8' : line.replace('\uFEFF', '')))
  for (const size of [1, 2, 3, 5, 7, 16, 33, 1000]) {
    const texts: string[] = []
    const ends: number[] = []
    for await (const { text, problem, end, line } of readLines(cut(size))) {
      expect(line).toBe(texts.length + 1)
      texts.push(problem ?? text ?? '')
      ends.push(end)
    }
    expect(texts).toEqual(expected)
    expect(ends.map((end) => bytes[end - 1])).toEqual(lines.map(() => 10))
  }
})
