import { listWebhookSecrets, resealWebhook, type SealedSecrets } from '../db/webhook-feed.ts'
import type { Deps } from '../deps.ts'

/** Webhooks that are read at once. */
const batch = 500

/** Encrypts the secrets of webhooks with the newest key, so that no webhook needs an older one of SECRETS any more. */
export async function resealWebhooks({ sql, keys, log }: Pick<Deps, 'sql' | 'keys' | 'log'>): Promise<void> {
  const { webhook: sealer } = keys
  const renewed = (id: string, sealed: Buffer) => {
    if (!sealer.isOutdated(sealed)) return sealed
    try {
      return sealer.seal(sealer.open(sealed, id), id)
    } catch (err) {
      log.warn({ err, webhookId: id }, 'the secret of a webhook cannot be decrypted: rotate it')
      return sealed
    }
  }
  let after: string | undefined = ''
  while (after !== undefined) {
    const found: readonly SealedSecrets[] = await listWebhookSecrets(sql, after, batch)
    for (const { id, secret, previousSecret } of found) {
      const now = { secret: renewed(id, secret), previousSecret: previousSecret && renewed(id, previousSecret) }
      if (now.secret === secret && now.previousSecret === previousSecret) continue
      await resealWebhook(sql, { id, secret, previousSecret }, now)
    }
    after = found.length < batch ? undefined : found.at(-1)?.id
  }
}
