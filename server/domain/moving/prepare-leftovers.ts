import type { RecordOf } from '../../../shared/moving/records.ts'
import { type TokenAlgorithm, tokenAlgorithms } from '../../../shared/token.ts'
import { isSoundKey, publicMembersOf } from '../../crypto/token-key.ts'
import { importedLink } from '../../db/verifications.ts'
import { linkIdentifierOf } from '../mails.ts'
import { isEncrypted } from './better-auth/encrypted.ts'
import type { Made, PrepareParts, Unfit } from './prepare-parts.ts'

/** What waits in mails: the tokens that our own calls understand. */
export function prepareLink(record: RecordOf<'link'>, { now }: PrepareParts): Made | Unfit {
  const { purpose, token, userId, emailVerified } = record
  if (purpose === 'other' || !token || !userId) return { reason: 'LINK_UNKNOWN' }
  if (purpose === 'reset-password' && emailVerified === false) return { reason: 'LINK_UNPROVEN' }
  return {
    id: record.id,
    values: {
      user_id: userId,
      identifier: linkIdentifierOf[purpose](token),
      value: importedLink,
      expires_at: record.expiresAt,
      created_at: record.createdAt ?? now,
    },
  }
}

/** Milliseconds for which a key may be published that signs nothing here. */
const longestPublished = 30 * 86_400_000

/** Only its public part: it verifies what was signed before, and signs nothing. */
export function prepareSigningKey(record: RecordOf<'signingKey'>, { now }: PrepareParts): Made | Unfit {
  const publicKey = publicMembersOf(record.publicKey)
  const algorithm = publicKey && algorithmOf(record.algorithm ?? undefined, publicKey)
  if (!algorithm) return { reason: 'KEY_UNSUPPORTED' }
  if (!isSoundKey(publicKey)) return { reason: 'KEY_UNSOUND' }
  const latest = Date.parse(now) + longestPublished
  const createdAt = record.createdAt ?? now
  return {
    id: record.id,
    values: {
      algorithm,
      public_key: publicKey,
      private_key: '\\x',
      token_life: 0,
      signs_from: createdAt,
      published_until: new Date(Math.min(Date.parse(record.publishedUntil), latest)).toISOString(),
      created_at: createdAt,
    },
  }
}

const byCurve: Readonly<Record<string, TokenAlgorithm>> = { Ed25519: 'EdDSA', 'P-256': 'ES256', 'P-521': 'ES512' }

/** The stated algorithm if the key fits it, or with none stated the one that its form implies. Undefined: no match. */
function algorithmOf(told: string | undefined, { kty, crv = '' }: Readonly<Record<string, string>>) {
  const fitting: readonly string[] = kty === 'RSA' ? ['RS256', 'PS256'] : [byCurve[crv] ?? '']
  return tokenAlgorithms.find((name) => fitting.includes(name) && (told === undefined || told === name))
}

/** Kept as it came. What anybody could read is not. */
export function prepareSecondFactor(record: RecordOf<'secondFactor'>, { now }: PrepareParts): Made | Unfit {
  const { id, userId, secret, createdAt } = record
  if (!isEncrypted(secret)) return { reason: 'SECOND_FACTOR_READABLE' }
  const codes = record.backupCodes ?? null
  const isKept = codes === null || isEncrypted(codes)
  return {
    id,
    altered: isKept ? [] : ['backupCodes'],
    values: { user_id: userId, secret, backup_codes: isKept ? codes : null, created_at: createdAt ?? now },
  }
}
