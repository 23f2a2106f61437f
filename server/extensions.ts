import type { User } from '../shared/entities.ts'
import type { Organization } from '../shared/organization.ts'
import type { Roles } from '../shared/permissions.ts'
import type { Message, Template } from './mail/message.ts'
import type { RateLimitSettings } from './rate-limits.ts'

/** What may be changed of an organization before it is created. */
export interface OrganizationDraft {
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
}

/** What only a config file can give: functions, roles, limits and paths. Each function is awaited; a hook has five seconds. */
export interface Extensions {
  /** Calls that are not there, by their paths below the base path: 404. */
  readonly disabledPaths?: readonly string[]
  /** Numbers in place of ours: how many, in how long. */
  readonly RATE_LIMITS?: RateLimitSettings
  /** Sends mails in place of SMTP. When it throws, the mail is tried again later. */
  readonly sendMail?: (message: Message) => unknown
  /** The text of a mail by its kind, in place of ours. */
  readonly mailTemplates?: Readonly<Record<string, Template>>
  /** Throws to keep the user; a Refusal to say why. */
  readonly beforeDeleteUser?: (user: User) => unknown
  readonly afterDeleteUser?: (user: User) => unknown
  readonly afterVerifyEmail?: (user: User) => unknown
  readonly afterResetPassword?: (user: User) => unknown
  /** Role → resource → actions, in place of owner, admin and member. */
  readonly roles?: Roles
  /** False, or a Refusal that it throws, refuses. */
  readonly mayCreateOrganization?: (user: User) => unknown
  /** How many organizations a user may be in; or true when there are enough. */
  readonly organizationLimit?: (user: User) => number | boolean | Promise<number | boolean>
  /** May answer what shall be created instead; throws to prevent it, a Refusal to say why. */
  readonly beforeCreateOrganization?: (draft: OrganizationDraft, user: User) => unknown
  readonly afterCreateOrganization?: (organization: Organization, user: User) => unknown
  /** Throws to keep the organization; a Refusal to say why. */
  readonly beforeDeleteOrganization?: (organization: Organization, user: User) => unknown
  readonly afterDeleteOrganization?: (organization: Organization, user: User) => unknown
}
