import { expect, it } from 'vitest'
import { withoutPlatformRoles } from './newcomers.ts'
import type { Source } from './source.ts'

it('a source without platform roles is another one, and keeps everything else', async () => {
  const asked: unknown[] = []
  const source: Source = {
    identity: 'x',
    size: null,
    secondFactors: null,
    canBeReadAgain: true,
    async *read(...from) {
      asked.push(from)
      yield { line: 1, position: '1', record: { type: 'user', id: 'ann', role: 'admin' } }
      yield { line: 2, position: '2', record: { type: 'member', id: 'm', role: 'owner' } }
    },
    done: () => 0,
  }
  const records: unknown[] = []
  for await (const { record } of withoutPlatformRoles(source).read('5', 'a mark')) records.push(record)
  expect(withoutPlatformRoles(source).identity).not.toBe(source.identity)
  expect(asked).toEqual([['5', 'a mark']])
  expect(records).toEqual([
    { type: 'user', id: 'ann' },
    { type: 'member', id: 'm', role: 'owner' },
  ])
})
