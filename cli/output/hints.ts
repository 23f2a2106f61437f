import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { type ByCode, findByCode } from '../../shared/failure.ts'

/** What to do next, by exit code. A command's own hint comes first. */
const byExitCode: Readonly<Partial<Record<ExitCode, string>>> = {
  [exitCodes.signedOut]: 'postern sign-in',
  [exitCodes.network]: 'Is the service running there? See the address: postern auth status --explain',
  [exitCodes.server]: "Try again; if it stays, give the service's owner the output of the same command with --debug",
  [exitCodes.rejected]: 'See what the command takes: the same command with --help',
}

const byCode: ByCode<string> = {
  INVALID_EMAIL_OR_PASSWORD: 'Check both, or make an account: postern sign-up',
  USER_ALREADY_EXISTS: 'If it is yours: postern sign-in',
  INVALID_PASSWORD: 'It is not the password of now. Forgotten: postern account password forgot',
  PASSWORD_TOO_SHORT: 'Take a longer one: a few words in a row are easy to remember',
  PASSWORD_TOO_LONG: 'Take a shorter one',
  PASSWORD_TOO_COMMON: 'Take one that others would not: a few words in a row, without your name and address',
  EMAIL_NOT_VERIFIED:
    'A mail with a link is on its way to you: postern account email verify LINK; then go on: postern sign-in',
  SESSION_IS_NOT_FRESH: 'Prove once more that it is you: postern sign-in',
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION:
    'Give the password with --password-file, or prove once more that it is you: postern sign-in',
  COULDNT_UPDATE_YOUR_EMAIL: 'Choose another address: this one belongs to an account',
  PROVIDER_NOT_FOUND:
    'Nobody signs in with it here: ask who runs the service. Its page offers all it has: postern sign-in --device',
  ID_TOKEN_NOT_SUPPORTED: 'Sign in in a browser: postern sign-in --provider PROVIDER',
  INVALID_TOKEN: 'Get a new one; if it was asked for with a nonce, give it with --nonce',
  ACCOUNT_NOT_LINKED: 'An account has that address already: sign in to it as ever, then link the provider',
  SIGNUP_DISABLED: 'Make an account first: postern sign-up',
  SESSION_NOT_FOUND: 'postern session list',
  YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT: 'Link another one first: postern account link add PROVIDER',
  ACCOUNT_NOT_FOUND: 'See them: postern account link list',
  FAILED_TO_REFRESH_ACCESS_TOKEN: 'Link it once more: postern account link add PROVIDER',
  INVALID_ORIGIN:
    'The service goes by another address: give that one, its BASE_URL, and its BASE_PATH where it has one, with --url or POSTERN_URL; or have it trust this one: TRUSTED_ORIGINS',
  CURSOR_OF_ANOTHER_DATABASE:
    'Follow it anew; what came meanwhile: the same command with --since 1h in place of --follow',
  NOT_FOUND: 'See the address: postern auth status --explain; the calls that it has: postern api list',
}

const noneActive = 'Choose one: postern org use ORG, or give --org ORG; make one: postern org create NAME'

const aboutOrganizations: ByCode<string> = {
  NO_ACTIVE_ORGANIZATION: noneActive,
  ORGANIZATION_ID_IS_REQUIRED: noneActive,
  ORGANIZATION_NOT_FOUND: noneActive,
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'See yours: postern org list',
  YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION: 'See yours: postern org list',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM:
    'Nobody deletes the team they are in: leave it first, postern team member remove USER --team TEAM',
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION: 'Ask who runs the service',
  ORGANIZATION_ALREADY_EXISTS: 'Choose another slug, or go on with one of yours: --if-exists skip',
  SLUG_IS_TAKEN: 'Choose another slug',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 'Leave or delete one: postern org list',
  MEMBER_NOT_FOUND: 'postern member list',
  TEAM_NOT_FOUND: 'postern team list',
  ROLE_NOT_FOUND: 'Those of an organization: postern role list; of the platform: postern admin user role set --help',
  INVITATION_NOT_FOUND:
    'It may be answered already. See them: postern invitation list; those to you: postern invitation list --mine',
  FAILED_TO_RETRIEVE_INVITATION: 'Ask for a new invitation',
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: 'Sign in with the address it was sent to: postern sign-in',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: 'Ask for a new invitation',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
    'Prove from here that the address is yours: postern account email verify --send, then give its link to postern account email verify',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'Other roles: postern member role set USER ROLE',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
    'A script says what shall happen by --if-exists. Mail it once more: postern invitation resend EMAIL',
  INVITATION_LIMIT_REACHED: 'Cancel some: postern invitation list --status pending',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'Only owners touch owners, and one has to stay: make another one first, postern member role set USER owner',
  UNABLE_TO_REMOVE_LAST_TEAM: 'Make another one first: postern team create NAME',
}

const aboutKeys: ByCode<string> = {
  KEY_NOT_FOUND: 'See them: postern key list; your own: postern key list --mine',
  TRUST_RULE_NOT_FOUND: 'postern key trust list',
  KEY_LIMIT_REACHED: 'Revoke what nobody uses: postern key list, postern key trust list',
  THE_KEY_HAS_EXPIRED_IT_NEEDS_A_NEW_LIFE: 'Give it one: postern key rotate KEY --expires 30d',
  A_KEY_MAY_NOT_LIVE_FOR_SO_LONG: 'Give a shorter --expires, and a new secret in time: postern key rotate KEY',
  SCOPE_NOT_FOUND: 'A scope is read, or an action such as invitation:create; see them: postern role list',
  INVALID_IP_RANGE: 'A range looks like 203.0.113.0/24 or 2001:db8::/48',
  ISSUER_NOT_ACCEPTED: 'Give it as its tokens write it; who runs the service says which ones it accepts',
  YOU_ARE_NOT_ALLOWED_TO_GIVE_A_KEY_THIS_ROLE:
    'Nobody gives a machine more than they may themselves, nor the role of an owner: postern role list',
  MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL:
    'It is for people alone: sign in as one, postern sign-in, and leave out POSTERN_TOKEN and POSTERN_TOKEN_FILE',
  KEY_SCOPE_MISSING:
    'Scopes never change: whoever made the key makes another one, postern key create NAME --scope SCOPE',
}

const noPlatformRole =
  'That takes a platform role: ask an administrator. Who runs the service makes the first one: postern admin bootstrap --email EMAIL'

const aboutThePlatform: ByCode<string> = {
  YOU_ARE_NOT_ALLOWED_TO_LIST_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_BAN_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_USERS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_LIST_AUDIT_EVENTS: noPlatformRole,
  YOU_ARE_NOT_ALLOWED_TO_ROTATE_KEYS: noPlatformRole,
  NOT_ALLOWED_WHILE_IMPERSONATING: 'Stop it first: postern admin impersonation stop',
  BANNED_USER: 'Ask who runs the service',
}

const notAllowed = 'Ask an owner or an admin. Your roles: postern member me; what each may do: postern role list'

const codes: ByCode<string> = { ...byCode, ...aboutOrganizations, ...aboutKeys, ...aboutThePlatform }

/** The hint for the wire code, else when to retry, else the hint for the exit code. */
export const hintOf = (exitCode: ExitCode, code = '', wait?: string): string | undefined =>
  findByCode(codes, code) ??
  (code.startsWith('YOU_ARE_NOT_ALLOWED_TO') ? notAllowed : undefined) ??
  wait ??
  byExitCode[exitCode]
