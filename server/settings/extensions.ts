import type { FullUser, User } from '../../shared/entities.ts'
import type { Organization } from '../../shared/organization.ts'
import type { Roles } from '../../shared/permissions.ts'
import type { Message, Template } from '../mail/message.ts'
import type { Identity } from '../providers/identity.ts'
import type { ActiveOrganization } from '../request/client.ts'
import type { RateLimitSettings } from './rate-limits.ts'

/** What may be changed of an organization before it is created. */
export interface OrganizationDraft {
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
}

/** Whom a token is about. */
export interface TokenSubject {
  readonly user: FullUser
  /** The active organization, and what the user is there. */
  readonly organization: ActiveOrganization | null
}

/**
 * What only a config file can give: functions, roles, limits and paths. Each function is awaited. A hook has five seconds;
 * what an `after` hook throws is logged and changes nothing.
 *
 * @example
 * export default defineConfig({
 *   disabledPaths: ['/sign-up/email'],
 *   afterVerifyEmail: (user) => welcome(user.email),
 *   mayCreateOrganization: ({ email }) => email.endsWith('@example.com'),
 * })
 */
export interface Extensions {
  /** Paths below the base path of calls that are turned off: they answer 404. */
  readonly disabledPaths?: readonly string[]
  /** Other numbers for our rate limits: how many, in which time. */
  readonly RATE_LIMITS?: RateLimitSettings
  /** Sends mails in place of SMTP, each within 30 seconds. When it throws, the mail is tried again later. */
  readonly sendMail?: (message: Message) => unknown
  /** The text of a mail by its kind, in place of ours. */
  readonly mailTemplates?: Readonly<Record<string, Template>>
  /** Throws to prevent the deletion; a HookRefusal to say why. */
  readonly beforeDeleteUser?: (user: User) => unknown
  readonly afterDeleteUser?: (user: User) => unknown
  readonly afterVerifyEmail?: (user: User) => unknown
  readonly afterResetPassword?: (user: User) => unknown
  /**
   * What a provider said of somebody: may answer another email, name or image, and of an email that it answers whether it is
   * verified. Never another id. Throws to refuse the sign-in; a HookRefusal to say why.
   */
  readonly mapProfile?: (profile: Identity, provider: string) => unknown
  /**
   * What tokens for other services tell, in place of the user and the active organization. Who they are for, from whom, until
   * when and about whom is ours to say; whom an administrator acts as, too.
   */
  readonly defineTokenPayload?: (about: TokenSubject) => unknown
  /** Role → resource → actions, in place of owner, admin and member. */
  readonly roles?: Roles
  /** The platform's role → resource → actions, in place of admin and user. */
  readonly platformRoles?: Roles
  /** Answers whether; a HookRefusal that it throws says why not. */
  readonly mayCreateOrganization?: (user: User) => unknown
  /** How many organizations a user may be in; or true when the user is in enough already, false for ORGANIZATION_LIMIT. */
  readonly organizationLimit?: (user: User) => number | boolean | Promise<number | boolean>
  /** May answer another draft to be created instead; throws to prevent it, a HookRefusal to say why. */
  readonly beforeCreateOrganization?: (draft: OrganizationDraft, user: User) => unknown
  readonly afterCreateOrganization?: (organization: Organization, user: User) => unknown
  /** Throws to prevent the deletion; a HookRefusal to say why. */
  readonly beforeDeleteOrganization?: (organization: Organization, user: User) => unknown
  readonly afterDeleteOrganization?: (organization: Organization, user: User) => unknown
}
