import { isEncrypted } from './encrypted.ts'
import type { KnownRows, Row } from './known-rows.ts'

/** A model of better-auth: its fields, those that have to be there, and the record of a row. */
export interface Model {
  readonly name: string
  readonly fields: readonly string[]
  readonly needed: readonly string[]
  readonly record: (row: Row, known: KnownRows) => object | null
  /** Fields of the row that its record comes without. */
  readonly lost?: (row: Row) => readonly string[]
  /** The field that names a user by whose row that of the model is judged. */
  readonly ownedBy?: string
  /** The rows that end last are read first: of several for the same, one comes. */
  readonly latestBy?: string
  /** Each run reads all rows. */
  readonly isWhole?: boolean
  /** A table of this name without the needed fields belongs to somebody else. */
  readonly isOptional?: boolean
}

const times = ['createdAt', 'updatedAt']
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const tokens = ['accessToken', 'refreshToken', 'idToken']
/** Fields that can lose their value there: a later run takes it away here, too. */
const losable: ReadonlySet<string> = new Set([
  'password',
  ...tokens,
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'scope',
  'activeOrganizationId',
  'activeTeamId',
])
/** Other fields without a value are left out. */
const present = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([field, value]) => value !== null || losable.has(field)))

/** Those of `account.encryptOAuthTokens`, which no provider takes as they are. */
const encryptedTokens = (row: Row): readonly string[] => tokens.filter((field) => isEncrypted(textOf(row[field])))

/** In the order in which they refer to each other. */
export const models: readonly Model[] = [
  {
    name: 'user',
    fields: ['id', 'email', 'name', 'emailVerified', 'image', 'role', 'banned', 'banReason', 'banExpires', ...times],
    needed: ['id', 'email', 'name'],
    // A role that was taken away is the usual one.
    record: ({ role, ...row }) => ({ type: 'user', ...row, ...(role === undefined ? {} : { role: role ?? '' }) }),
  },
  {
    name: 'account',
    fields: [
      'id',
      'userId',
      'providerId',
      'accountId',
      'password',
      'accessToken',
      'refreshToken',
      'idToken',
      'accessTokenExpiresAt',
      'refreshTokenExpiresAt',
      'scope',
      ...times,
    ],
    needed: ['id', 'userId', 'providerId', 'accountId'],
    record: (row) => ({
      type: 'account',
      ...present(row),
      // Null, so that a later run takes them from an account that came with them.
      ...Object.fromEntries(encryptedTokens(row).map((field) => [field, null])),
    }),
    lost: encryptedTokens,
    // Whose address was verified since has proved the mailbox.
    ownedBy: 'userId',
  },
  {
    name: 'organization',
    fields: ['id', 'name', 'slug', 'logo', 'metadata', 'createdAt'],
    needed: ['id', 'name', 'slug'],
    record: ({ metadata, ...row }) => ({ type: 'organization', ...row, metadata: metadataOf(metadata) }),
  },
  {
    name: 'team',
    fields: ['id', 'name', 'organizationId', ...times],
    needed: ['id', 'name', 'organizationId'],
    record: (row) => ({ type: 'team', ...row }),
  },
  {
    name: 'member',
    fields: ['id', 'organizationId', 'userId', 'role', 'teamId', 'createdAt'],
    needed: ['id', 'organizationId', 'userId'],
    record: ({ teamId, ...row }, known) => ({
      type: 'member',
      ...present(row),
      teams: teamsOf(teamId, known.teamsOf(row)),
    }),
  },
  {
    name: 'invitation',
    fields: ['id', 'organizationId', 'email', 'role', 'status', 'teamId', 'inviterId', 'expiresAt', 'createdAt'],
    needed: ['id', 'organizationId', 'email', 'status', 'inviterId', 'expiresAt'],
    record: ({ teamId, status, ...row }) => ({
      type: 'invitation',
      ...present(row),
      // It leaves them pending, and begins others beside them.
      status: status === 'pending' && isOver(row) ? 'canceled' : status,
      teamIds: textOf(teamId).split(',').filter(Boolean),
    }),
    latestBy: 'expiresAt',
  },
  {
    name: 'session',
    fields: [
      'id',
      'userId',
      'token',
      'expiresAt',
      'ipAddress',
      'userAgent',
      'activeOrganizationId',
      'activeTeamId',
      'impersonatedBy',
      ...times,
    ],
    needed: ['id', 'userId', 'token', 'expiresAt'],
    record: sessionRecord,
  },
  {
    name: 'verification',
    fields: ['id', 'identifier', 'value', 'expiresAt', 'createdAt'],
    needed: ['id', 'identifier', 'value', 'expiresAt'],
    record: linkRecord,
    // Those that are gone end here.
    isWhole: true,
    isOptional: true,
  },
  {
    name: 'jwks',
    fields: ['id', 'publicKey', 'alg', 'createdAt', 'expiresAt'],
    needed: ['id', 'publicKey'],
    record: keyRecord,
    // Each run lets them be published for longer.
    isWhole: true,
    isOptional: true,
  },
  {
    name: 'twoFactor',
    fields: ['id', 'userId', 'secret', 'backupCodes'],
    needed: ['id', 'userId', 'secret'],
    record: (row) => ({ type: 'secondFactor', ...present(row) }),
    isOptional: true,
  },
]

const isOver = (row: Row): boolean => Date.parse(textOf(row['expiresAt'])) <= Date.now()

/** Null for a token that expired. */
function linkRecord({ identifier, value, ...row }: Row, { verified }: KnownRows): object | null {
  if (isOver(row)) return null
  const [, purpose, token] = /^(reset-password(?=:)|delete-account(?=-)).(.+)$/s.exec(textOf(identifier)) ?? []
  const known = { purpose, token, userId: value, emailVerified: verified.has(value) }
  return { type: 'link', ...present(row), ...(purpose ? known : { purpose: 'other' }) }
}

/** Milliseconds for which better-auth verifies with a key that expired, and for which we verify after an import. */
const grace = 30 * 86_400_000
const published = 7 * 86_400_000

/** Null for a key that better-auth itself has forgotten. */
function keyRecord({ publicKey, alg, expiresAt, ...row }: Row): object | null {
  if (isOver({ expiresAt }) && Date.parse(textOf(expiresAt)) + grace <= Date.now()) return null
  const publishedUntil = new Date(Date.now() + published).toISOString()
  return {
    type: 'signingKey',
    ...present(row),
    publicKey: metadataOf(publicKey),
    algorithm: alg ?? null,
    publishedUntil,
  }
}

/** Null for a session that ended, and for an administrator's who acts as somebody else. */
function sessionRecord({ impersonatedBy, ...row }: Row): object | null {
  if (impersonatedBy || isOver(row)) return null
  return { type: 'session', ...present(row), imported: true }
}

/** The value of a JSON text. Any other text is kept unchanged, and reported. */
function metadataOf(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** One team of the member, as before version 1.3, or those of the table of team members. */
function teamsOf(teamId: unknown, teams: readonly Row[]): readonly object[] {
  const joined = teams.map(({ teamId: id, createdAt }) => ({ id, createdAt }))
  return typeof teamId === 'string' && teamId !== '' && joined.length === 0 ? [{ id: teamId }] : joined
}
