import * as z from 'zod'
import { languages } from '../languages.ts'
import { invitationStatuses } from '../organization.ts'
import { isReservedRole, newRoleName, Permissions } from '../role.ts'
import { splitRoles } from '../role-text.ts'

/** One record a line, in NDJSON: what `postern import` reads and `postern export` writes. */

const id = z.string().min(1).max(255)
const text = z.string().max(10_000)
const moment = z.iso.datetime({ offset: true }).describe('ISO 8601')
/** A list, or names separated by commas. */
const roles = z.union([z.array(z.string().min(1).max(100)).max(50), z.string().max(1000)])
const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional()

const ownFields = z
  .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]))
  .describe('The fields of your own, by name')
const ownRoles = z
  .record(
    newRoleName.lowercase().refine((name) => !isReservedRole({}, name), 'a name that no role of the service has'),
    z.strictObject({ id, permission: Permissions, createdAt: moment, updatedAt: moment.nullable() }),
  )
  .describe('The roles that the organization made, by name')

const UserRecord = z.strictObject({
  type: z.literal('user'),
  id,
  email: z.string().min(3).max(320).describe('Stored in lower case'),
  name: z.string().max(100_000),
  emailVerified: optional(z.boolean()),
  image: optional(z.string().max(1_000_000)),
  language: optional(z.string().max(35)).describe(`Of mails and pages: ${languages.join(', ')}; any other is left out`),
  role: optional(roles),
  banned: optional(z.boolean()),
  banReason: optional(text),
  banExpires: optional(moment),
  organizationId: optional(id).describe('Of a machine user: the organization that it belongs to'),
  sponsorId: optional(id).describe('Of a machine user: who is responsible for it'),
  fields: optional(ownFields),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})

const AccountRecord = z.strictObject({
  type: z.literal('account'),
  id: optional(id),
  userId: id,
  providerId: z.string().min(1).max(100).describe('credential for a password, or the name of a provider'),
  accountId: optional(z.string().min(1).max(1000)).describe('The id of the user at the provider'),
  password: optional(z.string().min(1).max(4096)).describe('The hash of the password'),
  accessToken: optional(z.string().max(100_000)),
  refreshToken: optional(z.string().max(100_000)),
  idToken: optional(z.string().max(100_000)),
  accessTokenExpiresAt: optional(moment),
  refreshTokenExpiresAt: optional(moment),
  scope: optional(text),
  callbackFields: optional(z.record(z.string(), z.string())),
  mailboxProof: optional(z.string().max(100)).describe(
    'How the mailbox was proved; without it, an account of a verified user counts as proof from before',
  ),
  mailboxProvenAt: optional(moment),
  provenEmail: optional(z.string().max(320)).describe(
    'Without mailboxProof: what counts only as proof of this address',
  ),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})

const OrganizationRecord = z.strictObject({
  type: z.literal('organization'),
  id,
  name: z.string().min(1).max(200),
  slug: z.string().max(1000).describe('Letters, digits and -, at most 64; stored in lower case'),
  logo: optional(z.string().max(1_000_000)),
  metadata: optional(z.record(z.string(), z.unknown())),
  fields: optional(ownFields),
  ownRoles: optional(ownRoles),
  createdAt: optional(moment),
})

const TeamRecord = z.strictObject({
  type: z.literal('team'),
  id,
  organizationId: id,
  name: z.string().min(1).max(200),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})

const MemberRecord = z.strictObject({
  type: z.literal('member'),
  id: optional(id),
  organizationId: id,
  userId: id,
  role: optional(roles),
  teams: optional(z.array(z.strictObject({ id, createdAt: optional(moment) })).max(1000)).describe(
    'The teams of the member, in the order of joining',
  ),
  createdAt: optional(moment),
})

const InvitationRecord = z.strictObject({
  type: z.literal('invitation'),
  id,
  organizationId: id,
  email: z.string().min(3).max(320),
  role: optional(roles),
  status: z.enum(invitationStatuses),
  teamIds: optional(z.array(id).max(1000)),
  inviterId: id,
  expiresAt: moment,
  createdAt: optional(moment),
})

const SessionRecord = z.strictObject({
  type: z.literal('session'),
  id,
  userId: id,
  token: optional(z.string().min(16).max(1000)).describe('Only its SHA-256 is stored'),
  tokenHash: optional(z.string().regex(/^[0-9a-f]{64}$/)).describe('In place of the token: its SHA-256, in hex'),
  remembered: optional(z.boolean()),
  expiresAt: moment,
  authenticatedAt: optional(moment),
  ipAddress: optional(text),
  userAgent: optional(text),
  label: optional(z.string().max(64)),
  activeOrganizationId: optional(id),
  activeTeamId: optional(id),
  accountId: optional(id).describe('The record of the account that it began with'),
  provenEmail: optional(z.string().max(320)),
  imported: optional(z.boolean()).describe('Whether it began at another service'),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})

const LinkRecord = z.strictObject({
  type: z.literal('link'),
  id,
  userId: optional(id),
  purpose: z.enum(['reset-password', 'delete-account', 'other']).describe('What a mailed token allows'),
  token: optional(z.string().min(16).max(1000)).describe('Only its SHA-256 is stored'),
  emailVerified: optional(z.boolean()).describe('Whether the address of its user was verified where it was mailed'),
  expiresAt: moment,
  createdAt: optional(moment),
})

const SigningKeyRecord = z.strictObject({
  type: z.literal('signingKey'),
  id: id.describe('The kid of its tokens'),
  algorithm: optional(z.string().max(20)),
  publicKey: z.record(z.string().max(20), z.unknown()).describe('A JWK, of which only public members are taken'),
  publishedUntil: moment.describe('When its last token has expired, at most 30 days from now'),
  createdAt: optional(moment),
})

const SecondFactorRecord = z.strictObject({
  type: z.literal('secondFactor'),
  id,
  userId: id,
  secret: z.string().max(10_000).describe('Encrypted by the service that it comes from'),
  backupCodes: optional(z.string().max(100_000)).describe('Encrypted, too'),
  createdAt: optional(moment),
})

/** In the order of a file: each record names only what came before it. */
export const MovedRecord = z.discriminatedUnion('type', [
  UserRecord,
  AccountRecord,
  OrganizationRecord,
  TeamRecord,
  MemberRecord,
  InvitationRecord,
  SessionRecord,
  LinkRecord,
  SigningKeyRecord,
  SecondFactorRecord,
])
export type MovedRecord = z.output<typeof MovedRecord>
export type RecordType = MovedRecord['type']

export const recordTypes = [
  'user',
  'account',
  'organization',
  'team',
  'member',
  'invitation',
  'session',
  'link',
  'signingKey',
  'secondFactor',
] as const

/** A record of one type. */
export type RecordOf<Type extends RecordType> = Extract<MovedRecord, { type: Type }>

/** Role names as a list. */
export const roleList = (given: string | readonly string[]): string[] => [
  ...new Set([given].flat().flatMap(splitRoles).filter(Boolean)),
]
