import { expect, it } from 'vitest'
import { openOrClose } from './open-or-close.ts'

it('closes everything, the last first, and tells why the start failed, whatever fails then', async () => {
  const closed: string[] = []
  const started = openOrClose(async (onOpened) => {
    onOpened(() => closed.push('database'))
    onOpened(() => Promise.reject(new Error('the pool is gone')))
    onOpened(() => {
      throw new Error('not running')
    })
    onOpened(async () => closed.push('server'))
    throw new Error('no such database')
  })
  await expect(started).rejects.toThrow('no such database')
  expect(closed).toEqual(['server', 'database'])
})

it('closes nothing of what has started', async () => {
  const closed: string[] = []
  const started = openOrClose(async (onOpened) => {
    onOpened(() => closed.push('server'))
    return 'running'
  })
  expect([await started, closed]).toEqual(['running', []])
})
