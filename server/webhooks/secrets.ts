import type { Keys } from '../crypto/keys.ts'
import type { SealedSecrets } from '../db/webhook-feed.ts'

/** The secrets that sign, newest first, if the previous one still does. Null when the newest cannot be decrypted. */
export function openSecrets(
  keys: Pick<Keys, 'webhook'>,
  { id, secret, previousSecret }: SealedSecrets,
): readonly string[] | null {
  const open = (sealed: Buffer): readonly string[] => {
    try {
      return [keys.webhook.open(sealed, id)]
    } catch {
      return []
    }
  }
  const [newest] = open(secret)
  if (newest === undefined) return null
  return [newest, ...(previousSecret ? open(previousSecret) : [])]
}
