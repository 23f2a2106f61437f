import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const length = 16
/** Random bytes for 256 ids: one large request is cheaper than many small ones. */
const pool = new Uint8Array(256 * length)
let used = pool.length

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

let time = 0
let sequence = 0

/** A UUIDv7. Each one made by this process comes after the one before, also within a millisecond. */
export function newId(): string {
  const random = randomBytes()
  const now = Date.now()
  if (now > time) {
    time = now
    // Its highest bit is 0, so that counting on does not overflow within a millisecond.
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1
  } else sequence += 1
  return v7({ random, msecs: time, seq: sequence })
}
