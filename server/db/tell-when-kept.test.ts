import { expect, test } from 'vitest'
import { tellWhenKept } from './transaction.ts'

test('what is kept is answered though its line cannot be written, and the other lines are', async () => {
  const told: string[] = []
  const kept = await tellWhenKept(async ({ whenKept }) => {
    whenKept.push(
      () => {
        throw new Error('the log is full')
      },
      () => told.push('second'),
    )
    return 'kept'
  })
  expect([kept, told]).toEqual(['kept', ['second']])
})

test.each([null, false, { outcome: 'gone' }])('%j says that nothing was done: nothing is told', async (result) => {
  const told: string[] = []
  await tellWhenKept(async ({ whenKept }) => {
    whenKept.push(() => told.push('line'))
    return result
  })
  expect(told).toEqual([])
})
