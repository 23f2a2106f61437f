import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The megabytes of heap that are kept after some work, without what can be collected. */
export function keptMb(work: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
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
