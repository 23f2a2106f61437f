import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { openFrames } from './frames.ts'

it('closes a file that it does not read to its end', async () => {
  const file = Readable.from([Buffer.from('this is no backup of anything'), Buffer.from('more')])
  const read = async () => {
    for await (const _ of openFrames(file, null)) break
  }
  await expect(read()).rejects.toThrow('no backup of Postern')
  expect(file.destroyed).toBe(true)
})
