import { rm } from 'node:fs/promises'
import { type LockOptions, withLock } from '../lock.ts'
import { writePrivate } from './file.ts'
import { loadJar } from './load.ts'

/** Moves a jar's content to another account, replacing what that had; the old file is removed. */
export function moveJar(from: string, to: string, account: string, lock: LockOptions = {}): Promise<void> {
  return withLock(from, lock, () =>
    withLock(to, lock, async () => {
      const content = await loadJar(from)
      if (!content) return
      await writePrivate(to, `${JSON.stringify({ ...content, account }, null, 1)}\n`)
      await rm(from, { force: true })
    }),
  )
}
