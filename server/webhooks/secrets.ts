import type { Keys } from '../crypto/keys.ts'

export interface SealedSecrets {
  readonly secret: Buffer
  /** Null unless it still signs. */
  readonly previousSecret: Buffer | null
}

export const unopenedSecret = 'No secret in SECRETS decrypts the secret of this webhook: rotate it'

/** The secrets that sign, newest first. Null when the newest cannot be decrypted. */
export function openSecrets(
  keys: Pick<Keys, 'webhook'>,
  { id, secret, previousSecret }: SealedSecrets & { readonly id: string },
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
