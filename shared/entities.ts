import * as z from 'zod'
import { dateText } from './date-text.ts'
import { languages } from './languages.ts'
import { ownFields } from './own-fields.ts'
import { formatRoles, parseRoles, splitRoles } from './role-text.ts'
import { maxNameLength, maxPictureLength, picturePattern, pictureRule } from './text-rules.ts'

const names = z.array(z.string()).readonly()

/** Roles in an answer: comma-separated text on the wire, a list on both sides of it. */
export const roleNames = z.codec(z.string(), names, { decode: parseRoles, encode: formatRoles })

/**
 * Roles in an input: one role, several separated by commas, or a list of either. An empty entry is kept, so that it is
 * refused as an unknown role.
 */
export const roleInput = z.codec(z.union([z.string(), z.array(z.string())]), names, {
  decode: (given) => [...new Set([given].flat().flatMap(splitRoles))],
  encode: (roles) => [...roles],
})

/** ISO 8601 in UTC with milliseconds on the wire, a Date on both sides of it. */
export const date = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: dateText,
})

const name = z.string().max(maxNameLength)
export const picture = z.string().max(maxPictureLength).regex(picturePattern, pictureRule)
/** The language of mails and pages. */
export const language = z.enum(languages)
export const profileFields = { name, image: picture, language }

/** The short user, which sign-in, sign-up and the mailed flows return. */
export const User = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  image: z.string().nullable(),
  emailVerified: z.boolean(),
  /** Null: that which the user's requests ask for. A newer service may know more than `languages`. */
  language: z.string().nullable(),
  createdAt: date,
  updatedAt: date,
  ...ownFields('user'),
})
export type User = z.output<typeof User>

/** The full user, with the fields for platform administration. */
export const FullUser = User.extend({
  role: roleNames.nullable(),
  banned: z.boolean().nullable(),
  banReason: z.string().nullable(),
  banExpires: date.nullable(),
})
export type FullUser = z.output<typeof FullUser>

/** The fields by which list-users filters, apart from own fields that answers have. */
export const userFilterFields = [
  'id',
  'email',
  'name',
  'role',
  'emailVerified',
  'banned',
  'isMachine',
  'createdAt',
] as const

/** `token` is the raw token of the caller's own session, and a revocation handle for any other. */
export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string(),
  expiresAt: date,
  createdAt: date,
  updatedAt: date,
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  /** The label that the device gave itself. */
  label: z.string().nullable(),
  activeOrganizationId: z.string().nullable(),
  activeTeamId: z.string().nullable(),
  impersonatedBy: z.string().nullable(),
  /**
   * Whether the sign-in method that began the session has proved the mailbox of the user's address. Null from services
   * that do not report it.
   */
  addressProven: z.boolean().nullable(),
})
export type Session = z.output<typeof Session>

/** The answer of `get-session` for a signed-in caller. */
export const SessionView = z.object({ session: Session, user: FullUser })
export type SessionView = z.output<typeof SessionView>
