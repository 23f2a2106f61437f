import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { type ByCode, findByCode } from '../../shared/failure.ts'

/** What to do next, by exit code. A command's own hint comes first. */
const byExitCode: Readonly<Partial<Record<ExitCode, string>>> = {
  [exitCodes.signedOut]: 'postern sign-in',
  [exitCodes.network]: 'Is the service running there? See the address: postern auth status --explain',
  [exitCodes.server]:
    "Try again. If it persists, send the service's operator the output of the same command with --debug",
  [exitCodes.rejected]: 'See the options: run the same command with --help',
}

const byCode: ByCode<string> = {
  INVALID_EMAIL_OR_PASSWORD: 'Check address and password, or create an account: postern sign-up',
  USER_ALREADY_EXISTS: 'If the account is yours: postern sign-in',
  INVALID_PASSWORD: 'It is not the current password. If you forgot it: postern account password forgot',
  PASSWORD_TOO_SHORT: 'Choose a longer one: a few words in a row are easy to remember',
  PASSWORD_TOO_LONG: 'Choose a shorter one',
  PASSWORD_TOO_COMMON: 'Choose one that is harder to guess: a few words in a row, without your name and address',
  EMAIL_NOT_VERIFIED:
    'A mail with a link is on its way to you: postern account email verify LINK; then sign in: postern sign-in',
  SESSION_IS_NOT_FRESH: 'Sign in again, to confirm that it is you: postern sign-in',
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION:
    'Give the password with --password-file, or sign in again: postern sign-in',
  EMAIL_IS_THE_SAME: 'Choose another address: this one is yours already',
  COULDNT_UPDATE_YOUR_EMAIL: 'Choose another address: this one belongs to an account',
  PROVIDER_NOT_FOUND:
    'This provider is not set up: ask the operator of the service. The sign-in page lists its providers: postern sign-in --device',
  ID_TOKEN_NOT_SUPPORTED: 'Sign in with a browser: postern sign-in --provider PROVIDER',
  INVALID_TOKEN: 'Get a new one; if it was requested with a nonce, give that with --nonce',
  ACCOUNT_NOT_LINKED: 'An account with that address exists: sign in to it in your usual way, then link the provider',
  SIGNUP_DISABLED: 'Create an account first: postern sign-up',
  SESSION_NOT_FOUND: 'postern session list',
  YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT: 'Link another one first: postern account link add PROVIDER',
  ACCOUNT_NOT_FOUND: 'See them: postern account link list',
  FAILED_TO_REFRESH_ACCESS_TOKEN: 'Link it once more: postern account link add PROVIDER',
  INVALID_ORIGIN:
    'The service has another address: give its BASE_URL, with its BASE_PATH if it has one, as --url or POSTERN_URL; or add this address to its TRUSTED_ORIGINS',
  CURSOR_OF_ANOTHER_DATABASE:
    'Start to follow again. Then run the same command with --since TIME instead of --follow, TIME being that of the backup',
  NOT_FOUND: 'See the address: postern auth status --explain; its calls: postern api list',
}

const noneActive = 'Choose one: postern org use ORG, or give --org ORG; create one: postern org create NAME'

const aboutOrganizations: ByCode<string> = {
  NO_ACTIVE_ORGANIZATION: noneActive,
  ORGANIZATION_ID_IS_REQUIRED: noneActive,
  ORGANIZATION_NOT_FOUND: noneActive,
  YOU_MUST_BE_IN_AN_ORGANIZATION_TO_CREATE_A_ROLE: noneActive,
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'See yours: postern org list',
  YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION: 'See yours: postern org list',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM:
    'You cannot delete the team you are in. Leave it first: postern team member remove USER --team TEAM',
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION: 'Ask the operator of the service',
  ORGANIZATION_ALREADY_EXISTS:
    'Choose another slug. In a script, org create --if-exists skip goes on with the organization if it is yours',
  SLUG_IS_TAKEN: 'Choose another slug',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 'Leave or delete one: postern org list',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS: 'Delete one that nobody needs: postern team list',
  TEAM_MEMBER_LIMIT_REACHED:
    'Somebody has to leave the team first. An owner or an admin sees them: postern team member list --team TEAM',
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'Ask an owner or an admin: somebody has to be removed first',
  TOO_MANY_ROLES: 'Delete one that nobody has: postern role list',
  MEMBER_NOT_FOUND: 'postern member list',
  TEAM_NOT_FOUND: 'postern team list',
  USER_IS_NOT_A_MEMBER_OF_THE_TEAM: 'See yours: postern team list --mine',
  CANNOT_DELETE_A_PRE_DEFINED_ROLE: 'See those that the organization has made: postern role list',
  ROLE_NAME_IS_ALREADY_TAKEN: 'Choose another name: postern role list',
  INVALID_RESOURCE: 'See what a role can allow: postern role list',
  ROLE_NOT_FOUND: 'Roles of organizations: postern role list; of the platform: postern admin user role set --help',
  INVITATION_NOT_FOUND:
    'It may have been answered already. See them: postern invitation list; your own: postern invitation list --mine',
  FAILED_TO_RETRIEVE_INVITATION: 'Ask for a new invitation',
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: 'Sign in with the address it was sent to: postern sign-in',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: 'Ask for a new invitation',
  INVITER_CAN_NO_LONGER_INVITE_WITH_THIS_ROLE: 'Ask for a new invitation',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
    'Verify the address from here: postern account email verify --send, then give its link to postern account email verify',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'Other roles: postern member role set USER ROLE',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
    'In a script, choose what happens with --if-exists. To mail it again: postern invitation resend EMAIL',
  INVITATION_LIMIT_REACHED: 'Cancel some: postern invitation list --status pending',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'Only owners can change owners, and one has to stay. Make another one first: postern member role set USER owner. An organization that nobody needs: postern org delete ORG',
  UNABLE_TO_REMOVE_LAST_TEAM: 'Make another one first: postern team create NAME',
}

export const ownReceiver =
  "For a receiver on the service's own machine or network, start it with WEBHOOK_PRIVATE_NETWORKS=127.0.0.1,::1 or its range"

const noWebhookPermission =
  'Those of the service need a platform role: ask an administrator. For those of an organization, ask an owner or an admin; the permissions of each role: postern role list'

const aboutKeys: ByCode<string> = {
  KEY_NOT_FOUND: 'See them: postern key list; your own: postern key list --mine',
  TRUST_RULE_NOT_FOUND: 'postern key trust list',
  WEBHOOK_NOT_FOUND: 'See them: postern webhook list; those of the service: postern webhook list --platform',
  YOU_ARE_NOT_ALLOWED_TO_CREATE_WEBHOOKS_HERE: noWebhookPermission,
  YOU_ARE_NOT_ALLOWED_TO_SEE_THESE_WEBHOOKS: noWebhookPermission,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_WEBHOOK: noWebhookPermission,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_WEBHOOK: noWebhookPermission,
  WEBHOOK_LIMIT_REACHED: 'Delete what nobody uses: postern webhook list',
  WEBHOOK_URL_INVALID: ownReceiver,
  WEBHOOK_URL_PRIVATE: ownReceiver,
  EVENT_NOT_FOUND:
    'Give a name such as member-added, or how names begin, such as member: docs/administration.md#events',
  KEY_LIMIT_REACHED:
    'Revoke what nobody uses: postern key list; your own: postern key list --mine; trust rules: postern key trust list',
  THE_KEY_HAS_EXPIRED_IT_NEEDS_A_NEW_LIFE: 'Give it a new lifetime: postern key rotate KEY --expires 30d',
  A_KEY_MAY_NOT_LIVE_FOR_SO_LONG: 'Give a shorter --expires. Each rotation of the key starts its lifetime again',
  SCOPE_NOT_FOUND: 'A scope is read, or an action such as invitation:create; see them: postern role list',
  INVALID_IP_RANGE: 'A range looks like 203.0.113.0/24 or 2001:db8::/48',
  ISSUER_NOT_ACCEPTED:
    'Give the issuer exactly as its tokens have it; the operator of the service knows which ones it accepts',
  THE_CLAIMS_HAVE_TO_NAME_ONE_THAT_IS_YOURS_ALONE_LIKE_THE_REPOSITORY:
    'Add one with --claim, such as repository=acme/site; sub alone is not enough',
  YOU_ARE_NOT_ALLOWED_TO_GIVE_A_KEY_THIS_ROLE:
    'You cannot grant a machine more than your own permissions, nor the role of an owner: postern role list',
  MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL:
    'Only people can do this. Unset POSTERN_TOKEN and POSTERN_TOKEN_FILE, then sign in: postern sign-in',
  KEY_SCOPE_MISSING:
    'The scopes of a key never change. Its creator can create another one: postern key create NAME --scope SCOPE',
}

const noPlatformRole =
  'This needs a platform role: ask an administrator. The operator of the service makes the first one: postern admin bootstrap --email EMAIL'

const aboutThePlatform: ByCode<string> = {
  YOU_ARE_NOT_ALLOWED_TO_LIST_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_GET_USER: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_BAN_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_UNLOCK_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_EXPORT_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_LIST_MAILS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_RESEND_MAILS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_RELEASE_MAILS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_LIST_AUDIT_EVENTS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_ROTATE_KEYS: noPlatformRole,
  YOU_CANNOT_IMPERSONATE_ADMINS:
    'Nobody who has a platform permission can be impersonated. See the roles: postern admin user view USER',
  NOT_ALLOWED_WHILE_IMPERSONATING: 'Stop it first: postern admin impersonation stop',
  BANNED_USER: 'Ask the operator of the service',
}

const notAllowed = 'Ask an owner or an admin. Your roles: postern member me; the permissions of each: postern role list'

const codes: ByCode<string> = { ...byCode, ...aboutOrganizations, ...aboutKeys, ...aboutThePlatform }

/** The hint for the wire code, else when to retry, else the hint for the exit code. */
export const hintOf = (exitCode: ExitCode, code = '', wait?: string): string | undefined =>
  findByCode(codes, code) ??
  (code.startsWith('YOU_ARE_NOT_ALLOWED_TO') ? notAllowed : undefined) ??
  wait ??
  byExitCode[exitCode]
