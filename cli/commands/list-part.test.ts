import { expect, test } from 'vitest'
import { keyCount } from '../flows/key/keys.ts'
import { runForSeveral } from '../flows/run-several.ts'
import { moreNote } from './list-part.ts'

const many = Array.from({ length: 1200 }, (_, at) => String(at))

test('large numbers are written in one way: below a list, in a question and in a result', async () => {
  expect(moreNote({ items: many, total: 2500, next: null })).toBe('1,200 of 2,500 shown')
  expect(keyCount(many.map((name) => ({ key: { name } }) as Parameters<typeof keyCount>[0][number]))).toBe('1,200 keys')
  const run = async () => ({ sentence: 'Done', status: 'created', resource: {} }) as const
  const done = await runForSeveral(many, run, (count) => `Invited ${count} addresses`)
  expect(done.sentence).toBe('Invited 1,200 addresses')
})
