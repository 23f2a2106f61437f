import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

function exposeCollector(): (options?: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as ReturnType<typeof exposeCollector>
}

/**
 * The megabytes of buffers that some work leaves behind, where only the newest objects are collected. All else stays
 * until V8 walks through the whole heap.
 */
export async function leftBufferMb(work: () => Promise<unknown>): Promise<number> {
  const collectGarbage = exposeCollector()
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  await work()
  for (let round = 0; round < 3; round += 1) collectGarbage({ type: 'minor' })
  return (process.memoryUsage().arrayBuffers - before) / 1e6
}

/** The megabytes of heap that are kept after some work, without what can be collected. */
export function keptMb(work: () => unknown): number {
  const collectGarbage = exposeCollector()
  const used = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = used()
  work()
  return used() - before
}

/** Ids that were cut out of 2000 texts, which are 40 MB together. */
export const cutIds = function* () {
  for (let index = 0; index < 2000; index += 1) yield Buffer.alloc(20_000, `${index} `).toString().slice(0, 36)
}
