import type { FullUser, User } from '../../shared/entities.ts'
import type { Organization } from '../../shared/organization.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { Roles } from '../../shared/permissions.ts'
import type { Message, Template } from '../mail/message.ts'
import type { Identity } from '../providers/identity.ts'
import type { ActiveOrganization } from '../request/client.ts'
import type { OwnFields } from './own-fields.ts'
import type { RateLimitSettings } from './rate-limits.ts'

/** The fields of an organization that a hook may change before it is created. */
export interface OrganizationDraft {
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** The organization's own fields. */
  readonly fields: OwnValues
}

/** The user and organization that a token is about. */
export interface TokenSubject {
  readonly user: FullUser
  /** The active organization and the user's roles there. */
  readonly organization: ActiveOrganization | null
}

/**
 * What only a config file can contain: functions, roles, limits and paths. Each function is awaited. A hook has five
 * seconds. An error of an `after` hook is logged and changes nothing.
 *
 * @example
 * export default defineConfig({
 *   disabledPaths: ['/sign-up/email'],
 *   afterVerifyEmail: (user) => welcome(user.email),
 *   mayCreateOrganization: ({ email }) => email.endsWith('@example.com'),
 * })
 */
export interface Extensions {
  /** Paths, relative to the base path, of calls that are turned off: they answer 404. */
  readonly disabledPaths?: readonly string[]
  /** Replaces our rate limits: how many, in which time. */
  readonly RATE_LIMITS?: RateLimitSettings
  /** Fields of your own that every user has, by name. */
  readonly userFields?: OwnFields
  /** Fields of your own that every organization has, by name. */
  readonly organizationFields?: OwnFields
  /** Sends mails in place of SMTP, each within 75 seconds. When it throws, the mail is tried again later. */
  readonly sendMail?: (message: Message) => unknown
  /** Replaces the text of mails, by their kind. */
  readonly mailTemplates?: Readonly<Record<string, Template>>
  /** Throws to prevent the deletion. A HookRefusal gives the reason. */
  readonly beforeDeleteUser?: (user: User) => unknown
  readonly afterDeleteUser?: (user: User) => unknown
  /** Runs after a mailed link verified the address, or proved it for another sign-in method. After no other proof. */
  readonly afterVerifyEmail?: (user: User) => unknown
  readonly afterResetPassword?: (user: User) => unknown
  /**
   * Maps a provider's profile. It may return another email, name or image, and whether a returned email is verified.
   * The id cannot change. Throws to refuse the sign-in; a HookRefusal gives the reason.
   */
  readonly mapProfile?: (profile: Identity, provider: string) => unknown
  /**
   * Returns the claims of tokens for other services, replacing the user and the active organization. Audience, issuer,
   * times, subject and impersonator cannot be changed.
   */
  readonly defineTokenPayload?: (about: TokenSubject) => unknown
  /** Maps role to resource to actions, replacing owner, admin and member. */
  readonly roles?: Roles
  /** Maps the platform's roles to resource to actions, replacing admin and user. */
  readonly platformRoles?: Roles
  /** Returns whether the user may. It may throw a HookRefusal to give the reason. */
  readonly mayCreateOrganization?: (user: User) => unknown
  /** How many organizations a user may be in. True: no more. False: ORGANIZATION_LIMIT applies. */
  readonly organizationLimit?: (user: User) => number | boolean | Promise<number | boolean>
  /** May return another draft to create instead. Throws to prevent the creation; a HookRefusal gives the reason. */
  readonly beforeCreateOrganization?: (draft: OrganizationDraft, user: User) => unknown
  readonly afterCreateOrganization?: (organization: Organization, user: User) => unknown
  /**
   * Throws to prevent the deletion, or that of the account with which the organization would end, because nobody else
   * is in it. A HookRefusal gives the reason. The user is the one who deletes, or whose sign-up the
   * owner of the mailbox removes.
   */
  readonly beforeDeleteOrganization?: (organization: Organization, user: User) => unknown
  readonly afterDeleteOrganization?: (organization: Organization, user: User) => unknown
}
