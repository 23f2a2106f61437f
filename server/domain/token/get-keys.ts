import type { Output } from '../../../shared/contract/call.ts'
import type { getKeys as Call } from '../../../shared/contract/token.ts'
import type { Deps } from '../../deps.ts'
import { keyRing } from './key-ring.ts'

/** All keys that a living token may have been signed with, and those that will sign soon. */
export async function getKeys(deps: Deps): Promise<Output<typeof Call>> {
  const { keys } = await keyRing(deps)
  const time = deps.now().getTime()
  const published = keys.filter(({ publishedUntil }) => publishedUntil === null || publishedUntil > time)
  return { keys: published.map(({ publicKey }) => publicKey) }
}
