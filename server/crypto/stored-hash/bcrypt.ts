import { type ReadHash, timesFloor } from './format.ts'

const pattern = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
/** 2^14 rounds take about a second. */
const maxCost = 14
const minCost = 4
/**
 * As many rounds as take the time of Argon2 at the lowest cost, on a processor without vector instructions beyond SSE2:
 * between 2^8 and 2^9. On others Argon2 takes less, so that more is computed than would be needed.
 */
const cheapRounds = 400

/**
 * bcrypt. The prefixes tell apart only which defects an old program had, and each current one writes the same bytes.
 */
export const readBcrypt: ReadHash = (stored) => {
  if (!stored.startsWith('$2')) return null
  const cost = Number(pattern.exec(stored)?.[1] ?? 0)
  if (cost < minCost) return 'unreadable'
  if (cost > maxCost) return 'costly'
  const hash = `$2b${stored.slice(3)}`
  return {
    isCheap: (ours) => 2 ** cost < cheapRounds * timesFloor(ours),
    async verify(password) {
      // Only those who come from elsewhere have such a hash.
      const { default: bcrypt } = await import('bcrypt')
      return bcrypt.compare(password, hash)
    },
  }
}
