import { hash } from 'node:crypto'
import { canonicalEmail, isEmail, isMachineAddress } from '../../../shared/email.ts'
import { knownLanguage } from '../../../shared/languages.ts'
import { type MovedRecord, type RecordOf, type RecordType, roleList } from '../../../shared/moving/records.ts'
import { isPicture, maxNameLength } from '../../../shared/text-rules.ts'
import { storableHash, withSignerKey } from '../../crypto/stored-hash/foreign-hash.ts'
import { digestOf } from '../../crypto/token.ts'
import type { GivenRow } from '../../db/moving/insert-rows.ts'
import { kinds } from '../../db/moving/kinds.ts'
import { sealTokens } from '../social/seal-tokens.ts'
import { prepareLink, prepareSecondFactor, prepareSigningKey } from './prepare-leftovers.ts'
import type { Made, PrepareParts, Unfit } from './prepare-parts.ts'

export type { PrepareParts }

/** What a record becomes. `altered`: what was changed of it. */
export interface PreparedRecord {
  readonly type: RecordType
  readonly row: GivenRow
  readonly altered: readonly string[]
}

/** Null becomes undefined, which the statement leaves out and stores as null. */
const orNone = <T>(value: T | null | undefined): T | undefined => value ?? undefined
const or = <T>(value: T | null | undefined, usual: T): T => value ?? usual

type Preparation<Type extends RecordType> = (
  record: RecordOf<Type>,
  parts: PrepareParts,
) => Made | Unfit | Promise<Made | Unfit>

/** Turns a record into the row to store. */
export async function prepareRecord(
  record: MovedRecord,
  line: number,
  parts: PrepareParts,
): Promise<PreparedRecord | Unfit> {
  const prepare = preparations[record.type] as (
    given: MovedRecord,
    parts: PrepareParts,
  ) => Made | Unfit | Promise<Made | Unfit>
  const made = await prepare(record, parts)
  if ('reason' in made) return made
  const { id, values, altered = [], joins } = made
  const row = { line, id, given: givenColumns(record), values: { id, ...values }, ...(joins && { joins }) }
  return { type: record.type, altered, row }
}

function givenColumns(record: MovedRecord): readonly string[] {
  const { columns } = kinds[record.type]
  return Object.keys(record).flatMap((given) => {
    if (given === 'createdAt' && record.createdAt === null) return []
    const field = record.type === 'member' && given === 'teams' ? 'teamIds' : given
    return Object.hasOwn(columns, field) ? [columns[field]?.[0] ?? field] : []
  })
}

const preparations: { readonly [Type in RecordType]: Preparation<Type> } = {
  user: prepareUser,
  account: prepareAccount,
  organization: prepareOrganization,
  team: ({ id, organizationId, name, createdAt, updatedAt = null }, { now }) => ({
    id,
    values: { organization_id: organizationId, name, created_at: createdAt ?? now, updated_at: updatedAt },
  }),
  member: prepareMember,
  invitation: prepareInvitation,
  session: prepareSession,
  link: prepareLink,
  signingKey: prepareSigningKey,
  secondFactor: prepareSecondFactor,
}

function prepareUser(record: RecordOf<'user'>, { now }: PrepareParts): Made | Unfit {
  const email = canonicalEmail(record.email.trim())
  const isMachine = typeof record.organizationId === 'string'
  if (!(isMachine ? isMachineAddress(email) : isEmail(email))) return { reason: 'INVALID_EMAIL' }
  const picture = pictureOf(record.image)
  const name = record.name.slice(0, maxNameLength).toWellFormed()
  const language = knownLanguage(record.language)
  const altered = [
    ...picture.altered,
    ...(name === record.name ? [] : ['name']),
    ...(language === (record.language ?? null) ? [] : ['language']),
  ]
  return {
    id: record.id,
    altered,
    values: {
      email,
      name,
      email_verified: or(record.emailVerified, false),
      image: picture.value,
      language,
      roles: record.role === null ? null : rolesOf(record.role, 'user'),
      banned: orNone(record.banned),
      ban_reason: orNone(record.banReason),
      ban_expires: orNone(record.banExpires),
      organization_id: orNone(record.organizationId),
      sponsor_id: orNone(record.sponsorId),
      fields: or(record.fields, {}),
      ...timesOf(record, now),
    },
  }
}

function pictureOf(image: string | null | undefined): {
  readonly value: string | null
  readonly altered: readonly string[]
} {
  if (typeof image !== 'string' || isPicture(image)) return { value: image ?? null, altered: [] }
  return { value: null, altered: ['image'] }
}

const timesOf = ({ createdAt, updatedAt }: Pick<RecordOf<'user'>, 'createdAt' | 'updatedAt'>, now: string) => ({
  created_at: createdAt ?? now,
  updated_at: updatedAt ?? createdAt ?? now,
})

async function prepareAccount(record: RecordOf<'account'>, parts: PrepareParts): Promise<Made | Unfit> {
  const isPassword = record.providerId === 'credential'
  const accountId = isPassword ? record.userId : record.accountId
  if (typeof accountId !== 'string') return { reason: 'ACCOUNT_ID_MISSING' }
  const stored = typeof record.password !== 'string' ? null : await storedHash(record.password, parts)
  if (typeof stored === 'string') return { reason: stored === 'costly' ? 'HASH_COSTLY' : 'HASH_UNKNOWN' }
  const id = record.id ?? derivedId('account', record.providerId, accountId)
  return {
    id,
    values: {
      user_id: record.userId,
      provider_id: record.providerId,
      account_id: accountId,
      password: isPassword ? stored && stored.stored : null,
      ...sealedOf(record, id, parts),
      access_token_expires_at: orNone(record.accessTokenExpiresAt),
      refresh_token_expires_at: orNone(record.refreshTokenExpiresAt),
      scope: orNone(record.scope),
      callback_fields: orNone(record.callbackFields),
      ...proofOf(record, parts),
      ...timesOf(record, parts.now),
    },
  }
}

const storedHash = (password: string, { hash: wrap, signerKey }: PrepareParts) =>
  storableHash(signerKey === undefined ? password : withSignerKey(password, signerKey), wrap)

function proofOf(record: RecordOf<'account'>, { trustedProviders }: PrepareParts) {
  const { providerId, mailboxProof, mailboxProvenAt, provenEmail } = record
  const counts = providerId === 'credential' || trustedProviders.includes(providerId)
  const derives = mailboxProof === undefined && counts
  const isWhole = [mailboxProof, mailboxProvenAt, provenEmail].every((value) => typeof value === 'string')
  return {
    derives,
    mailbox_proof: isWhole ? mailboxProof : null,
    mailbox_proven_at: isWhole ? mailboxProvenAt : null,
    proven_email: (isWhole || derives) && provenEmail ? canonicalEmail(provenEmail) : null,
  }
}

function sealedOf(record: RecordOf<'account'>, id: string, { keys }: PrepareParts) {
  if (!record.accessToken && !record.refreshToken && !record.idToken) return {}
  const { accessToken, refreshToken, idToken } = sealTokens({ keys }, id, record)
  return { access_token: bytea(accessToken), refresh_token: bytea(refreshToken), id_token: bytea(idToken) }
}

const bytea = (bytes: Buffer | null): string | undefined => (bytes === null ? undefined : `\\x${bytes.toString('hex')}`)

/** The same for the same row in each run, so that a second run finds the row of the first. */
const derivedId = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32)

function prepareOrganization(record: RecordOf<'organization'>, { now }: PrepareParts): Made | Unfit {
  const slug = record.slug.toLowerCase()
  if (!/^[a-z0-9-]{1,64}$/.test(slug)) return { reason: 'INVALID_SLUG' }
  const logo = pictureOf(record.logo)
  return {
    id: record.id,
    altered: logo.altered.map(() => 'logo'),
    values: {
      name: record.name,
      slug,
      logo: logo.value,
      metadata: orNone(record.metadata),
      fields: or(record.fields, {}),
      own_roles: or(record.ownRoles, {}),
      created_at: or(record.createdAt, now),
    },
  }
}

function prepareMember(record: RecordOf<'member'>, { now }: PrepareParts): Made {
  const teams = record.teams ?? []
  const joins = teams.flatMap(({ id, createdAt }) =>
    typeof createdAt !== 'string' ? [] : [{ team_id: id, user_id: record.userId, created_at: createdAt }],
  )
  return {
    id: record.id ?? derivedId('member', record.organizationId, record.userId),
    joins,
    values: {
      organization_id: record.organizationId,
      user_id: record.userId,
      roles: rolesOf(record.role ?? undefined, 'member'),
      team_ids: [...new Set(teams.map(({ id }) => id))],
      created_at: or(record.createdAt, now),
    },
  }
}

/** An empty list stays one: a user can have lost every role. */
const rolesOf = (given: string | readonly string[] | undefined, usual: string): readonly string[] =>
  given === undefined || given === '' ? [usual] : roleList(given)

function prepareInvitation(record: RecordOf<'invitation'>, { now }: PrepareParts): Made | Unfit {
  const email = canonicalEmail(record.email.trim())
  if (!isEmail(email)) return { reason: 'INVALID_EMAIL' }
  return {
    id: record.id,
    values: {
      organization_id: record.organizationId,
      email,
      roles: rolesOf(record.role ?? undefined, 'member'),
      status: record.status,
      team_ids: [...new Set(record.teamIds ?? [])],
      inviter_id: record.inviterId,
      expires_at: record.expiresAt,
      created_at: or(record.createdAt, now),
    },
  }
}

function prepareSession(record: RecordOf<'session'>, { now, sessionMaxAge }: PrepareParts): Made | Unfit {
  const hash = record.tokenHash ?? (typeof record.token !== 'string' ? null : digestOf(record.token).toString('hex'))
  if (hash === null) return { reason: 'TOKEN_MISSING' }
  const latest = Date.parse(record.createdAt ?? now) + sessionMaxAge * 1000
  if (latest <= Date.parse(now)) return { reason: 'SESSION_OUTDATED' }
  return {
    id: record.id,
    values: {
      user_id: record.userId,
      token_hash: `\\x${hash}`,
      remembered: or(record.remembered, true),
      expires_at: latest < Date.parse(record.expiresAt) ? new Date(latest).toISOString() : record.expiresAt,
      authenticated_at: or(record.authenticatedAt, or(record.createdAt, now)),
      ip_address: orNone(record.ipAddress),
      user_agent: orNone(record.userAgent),
      label: orNone(record.label),
      active_organization_id: orNone(record.activeOrganizationId),
      active_team_id: orNone(record.activeTeamId),
      account_id: orNone(record.accountId),
      proven_email: orNone(record.provenEmail),
      imported: or(record.imported, false),
      ...timesOf(record, now),
    },
  }
}
