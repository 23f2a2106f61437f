import { idTaken, isOwnerUntouched, type Kind, userIsThere } from './kind.ts'

/** Records besides people and organizations: what is under way, or kept for later. */
export const leftovers = {
  link: {
    table: 'verifications',
    columns: {
      id: ['id', 'text'],
      userId: ['user_id', 'text'],
      identifier: ['identifier', 'text'],
      value: ['value', 'text'],
      expiresAt: ['expires_at', 'timestamptz'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [
      userIsThere,
      isOwnerUntouched,
      [
        'LINK_UNPROVEN',
        "($.identifier not like 'reset-password:%' or exists (select from users u where u.id = $.user_id and u.email_verified))",
      ],
      [
        'LINK_OUTDATED',
        "not exists (select from accounts a where a.user_id = $.user_id and a.provider_id = 'credential' and a.updated_at > $.created_at)",
      ],
    ],
    meets: [
      ['PRESENT', 't.id = $.id and t.identifier = $.identifier'],
      idTaken,
      ['TOKEN_TAKEN', 't.identifier = $.identifier'],
    ],
    exported: 'false',
    kept: ['user_id', 'identifier', 'value'],
    heldBy: { table: 'users', column: 'user_id' },
  },
  signingKey: {
    table: 'signing_keys',
    columns: {
      id: ['id', 'text'],
      algorithm: ['algorithm', 'text'],
      publicKey: ['public_key', 'jsonb'],
      privateKey: ['private_key', 'bytea'],
      tokenLife: ['token_life', 'integer'],
      signsFrom: ['signs_from', 'timestamptz'],
      publishedUntil: ['published_until', 'timestamptz'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [],
    meets: [['PRESENT', 't.id = $.id and t.public_key = $.public_key'], idTaken],
    exported: 'false',
    kept: ['algorithm', 'public_key', 'private_key', 'token_life', 'signs_from'],
  },
  secondFactor: {
    table: 'imported_two_factors',
    columns: {
      id: ['id', 'text'],
      userId: ['user_id', 'text'],
      secret: ['secret', 'text'],
      backupCodes: ['backup_codes', 'text'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [userIsThere],
    meets: [['PRESENT', 't.id = $.id and t.user_id = $.user_id'], idTaken],
    kept: ['user_id'],
  },
} satisfies Readonly<Record<string, Kind>>
