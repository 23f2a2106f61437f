/** The part of the error catalogue about organizations, their members, teams and invitations. */
export const organizationErrors = {
  ORGANIZATION_CREATION_FORBIDDEN: { status: 403, message: 'You are not allowed to create a new organization' },
  ORGANIZATION_LIMIT_REACHED: {
    status: 403,
    kind: 'conflict',
    message: 'You have reached the maximum number of organizations',
  },
  ORGANIZATION_EXISTS: { status: 400, kind: 'conflict', message: 'Organization already exists' },
  ORGANIZATION_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Organization not found' },
  // Another's organization is treated as if it did not exist, whatever the status.
  NOT_A_MEMBER: { status: 400, kind: 'not-found', message: 'User is not a member of the organization' },
  NOT_A_MEMBER_FORBIDDEN: { status: 403, kind: 'not-found', message: 'User is not a member of the organization' },
  NOT_A_MEMBER_UNAUTHORIZED: { status: 401, kind: 'not-found', message: 'User is not a member of the organization' },
  ORGANIZATION_UPDATE_FORBIDDEN: { status: 403, message: 'You are not allowed to update this organization' },
  ORGANIZATION_DELETE_FORBIDDEN: { status: 403, message: 'You are not allowed to delete this organization' },
  ORGANIZATION_DELETION_OFF: { status: 403, message: 'Organization deletion is disabled', body: 'empty' },
  NO_ACTIVE_ORGANIZATION: { status: 400, kind: 'not-found', message: 'No active organization' },
  MEMBER_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Member not found' },
  TEAM_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Team not found' },
  ROLE_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Role not found' },
  ONLY_OWNER: { status: 400, kind: 'conflict', message: 'You cannot leave the organization as the only owner' },
  MEMBER_DELETE_FORBIDDEN: { status: 401, kind: 'forbidden', message: 'You are not allowed to delete this member' },
  INVITATION_CREATE_FORBIDDEN: { status: 403, message: 'You are not allowed to invite users to this organization' },
  INVITATION_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Invitation not found' },
  INVITATION_NOT_FOUND_FOR_RECIPIENT: { status: 400, kind: 'not-found', message: 'Invitation not found!' },
  NOT_THE_RECIPIENT: { status: 403, message: 'You are not the recipient of the invitation' },
  INVITATION_CANCEL_FORBIDDEN: { status: 403, message: 'You are not allowed to cancel this invitation' },
  INVITER_NOT_A_MEMBER: { status: 400, kind: 'conflict', message: 'Inviter is no longer a member of the organization' },
  INVITER_CANNOT_GRANT: { status: 400, kind: 'conflict', message: 'Inviter can no longer invite with this role' },
  INVITATION_NOT_RETRIEVED: { status: 400, kind: 'not-found', message: 'Failed to retrieve invitation' },
  LAST_TEAM: { status: 400, kind: 'conflict', message: 'Unable to remove last team' },
  MEMBERSHIP_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Organization membership limit reached' },
  TEAM_DELETE_FORBIDDEN: { status: 403, message: 'You are not allowed to delete teams in this organization' },
  TEAM_UPDATE_FORBIDDEN: { status: 403, message: 'You are not allowed to update this team' },
  ALREADY_A_MEMBER: { status: 400, kind: 'conflict', message: 'User is already a member of this organization' },
  ALREADY_INVITED: { status: 400, kind: 'conflict', message: 'User is already invited to this organization' },
  INVITATION_ROLE_FORBIDDEN: { status: 403, message: 'you are not allowed to invite user with this role' },
  INVITATION_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Invitation limit reached' },
  EMAIL_VERIFICATION_REQUIRED: {
    status: 403,
    message: 'Email verification required before accepting or rejecting invitation',
  },
  LAST_SEEN_FORBIDDEN: { status: 403, message: 'You are not allowed to see when members were last seen' },
  MEMBER_UPDATE_FORBIDDEN: { status: 403, message: 'You are not allowed to update this member' },
  TEAM_CREATE_FORBIDDEN: { status: 403, message: 'You are not allowed to create teams in this organization' },
  TEAM_LIMIT_REACHED: { status: 400, kind: 'conflict', message: 'You have reached the maximum number of teams' },
  TEAM_NOT_YOURS_TO_DELETE: { status: 403, message: 'You are not allowed to delete this team' },
  TEAM_FULL: { status: 403, kind: 'conflict', message: 'Team member limit reached' },
  NOT_IN_TEAM: { status: 403, message: 'User is not a member of the team' },
  NO_ACTIVE_TEAM: { status: 400, kind: 'not-found', message: 'You do not have an active team' },
  TEAMS_OFF: { status: 400, kind: 'forbidden', message: 'Teams are not enabled' },
  TEAMS_NOT_YOURS: { status: 403, message: 'Not a member', body: 'empty' },
  NOT_AUTHENTICATED: { status: 401, message: 'Not authenticated' },
  ORGANIZATION_ID_REQUIRED: { status: 400, kind: 'not-found', message: 'Organization ID is required' },
  NOT_YOUR_ORGANIZATION: { status: 403, kind: 'not-found', message: 'You are not a member of this organization' },
  SLUG_TAKEN: { status: 400, kind: 'conflict', message: 'slug is taken' },
} as const

/** A failure of a token exchange in OAuth's form. */
const exchange = <const Code extends string, const Sentence extends string>(code: Code, message: Sentence) =>
  ({ status: 400, kind: 'rejected', code, message, body: 'oauth' }) as const

/** The part of the error catalogue about API keys and trust rules. */
export const keyErrors = {
  KEY_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Key not found' },
  TRUST_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Trust rule not found' },
  KEY_CREATE_FORBIDDEN: { status: 403, message: 'You are not allowed to create keys in this organization' },
  KEY_ROLE_FORBIDDEN: { status: 403, message: 'You are not allowed to give a key this role' },
  KEY_LIST_FORBIDDEN: { status: 403, message: 'You are not allowed to see the keys of this organization' },
  KEY_ROTATE_FORBIDDEN: { status: 403, message: 'You are not allowed to rotate this key' },
  KEY_ROTATE_UNNAMED: {
    status: 403,
    code: 'KEY_ROTATE_UNNAMED',
    message:
      'The trust rule does not let its jobs rotate this key. A rule must name keys that are older than the rule: postern key trust create --rotates KEY',
  },
  KEY_SECRET_REPLACED: {
    status: 403,
    code: 'KEY_SECRET_REPLACED',
    message: 'A newer secret has replaced this one, and only the newest can rotate the key',
  },
  KEY_REVOKE_FORBIDDEN: { status: 403, message: 'You are not allowed to revoke this key' },
  KEY_ADOPT_FORBIDDEN: {
    status: 403,
    message: 'You can adopt only keys and trust rules that you could create yourself',
  },
  KEY_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Key limit reached' },
  KEY_EXPIRED: { status: 400, kind: 'conflict', message: 'The key has expired: it needs a new life' },
  KEY_LIFE_TOO_LONG: {
    status: 400,
    code: 'A_KEY_MAY_NOT_LIVE_FOR_SO_LONG',
    message: 'A key may not live for so long: {field} at most',
  },
  SCOPE_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Scope not found' },
  IP_RANGE_INVALID: { status: 400, message: 'Invalid IP range' },
  TRUST_ISSUER_UNKNOWN: { status: 400, kind: 'not-found', message: 'Issuer not accepted' },
  // Anybody can get a token from these issuers, so a rule must name a claim that nobody else's token can contain.
  TRUST_TOO_WIDE: { status: 400, message: 'The claims have to name one that is yours alone, like the repository' },
  EXCHANGE_GRANT_TYPE_UNKNOWN: exchange('unsupported_grant_type', 'Unsupported grant type'),
  EXCHANGE_TOKEN_TYPE_UNKNOWN: exchange('invalid_request', 'Unsupported token type'),
  // RFC 8693, 2.2.2 requires this code for every unacceptable subject token.
  EXCHANGE_TOKEN_REFUSED: exchange('invalid_request', 'The token was refused'),
  EXCHANGE_SPONSOR_GONE: exchange(
    'invalid_request',
    'The person responsible for this trust rule is no longer an active member. An owner can take it over: postern key trust adopt RULE',
  ),
  EXCHANGE_AMBIGUOUS: exchange('invalid_request', 'Several trust rules accept this token: name the rule'),
} as const

/** Failures that every call can return to a machine, as part of those of the edge. */
export const keyEdgeErrors = {
  SPONSOR_GONE: {
    status: 403,
    code: 'SPONSOR_GONE',
    message:
      'The person responsible for this machine is no longer an active member. An owner can take it over: postern key adopt KEY, or postern key trust adopt RULE',
  },
  SPONSOR_MAY_NOT: {
    status: 403,
    code: 'SPONSOR_MAY_NOT',
    message:
      'The person responsible for this machine no longer has this permission. Somebody who has it can take it over: postern key adopt KEY, or postern key trust adopt RULE',
  },
  KEY_FORBIDDEN: { status: 403, message: 'Machine keys may not make this call' },
  KEY_SCOPE_MISSING: { status: 403, code: 'KEY_SCOPE_MISSING', message: 'This key lacks the scope {field}' },
} as const

/** The part of the error catalogue about the roles that members of an organization make. */
export const roleErrors = {
  NO_ORGANIZATION_FOR_ROLE: {
    status: 400,
    kind: 'not-found',
    message: 'You must be in an organization to create a role',
  },
  ROLE_CREATE_FORBIDDEN: { status: 403, message: 'You are not allowed to create a role' },
  ROLE_UPDATE_FORBIDDEN: { status: 403, message: 'You are not allowed to update a role' },
  ROLE_DELETE_FORBIDDEN: { status: 403, message: 'You are not allowed to delete a role' },
  ROLE_CREATE_BEYOND_OWN: {
    status: 403,
    code: 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE',
    message: 'You are not allowed to create a role with permissions that you lack: {field}',
  },
  ROLE_UPDATE_BEYOND_OWN: {
    status: 403,
    code: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE',
    message: 'You are not allowed to update a role with permissions that you lack: {field}',
  },
  ROLE_DELETE_BEYOND_OWN: {
    status: 403,
    code: 'YOU_ARE_NOT_ALLOWED_TO_DELETE_A_ROLE',
    message: 'You are not allowed to delete a role with permissions that you lack: {field}',
  },
  ROLE_LIMIT_REACHED: {
    status: 400,
    kind: 'conflict',
    code: 'TOO_MANY_ROLES',
    message: 'This organization has too many roles',
  },
  ROLE_RESOURCE_UNKNOWN: {
    status: 400,
    code: 'INVALID_RESOURCE',
    message: 'The provided permission includes an invalid resource',
  },
  ROLE_NAME_TAKEN: {
    status: 400,
    kind: 'conflict',
    code: 'ROLE_NAME_IS_ALREADY_TAKEN',
    message: 'That role name is already taken',
  },
  ROLE_NOT_OWN: {
    status: 400,
    kind: 'not-found',
    code: 'ROLE_NOT_FOUND',
    message: 'The role is one of the service, so it cannot be changed by an organization',
  },
  ROLE_PREDEFINED: {
    status: 400,
    kind: 'conflict',
    code: 'CANNOT_DELETE_A_PRE_DEFINED_ROLE',
    message: 'Cannot delete a pre-defined role',
  },
  ROLE_IN_USE: {
    status: 400,
    kind: 'conflict',
    code: 'ROLE_IS_ASSIGNED_TO_MEMBERS',
    message: 'Cannot delete a role that is in use: {field}. Give them another role first, or cancel the invitations',
  },
} as const

/** The part of the error catalogue about webhooks. */
export const webhookErrors = {
  WEBHOOK_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Webhook not found' },
  WEBHOOK_URL_INVALID: {
    status: 400,
    code: 'WEBHOOK_URL_INVALID',
    message:
      'The address of a webhook begins with https:// and contains no user name, password or fragment. http:// is only for hosts of WEBHOOK_PRIVATE_NETWORKS',
  },
  WEBHOOK_URL_PRIVATE: {
    status: 400,
    code: 'WEBHOOK_URL_PRIVATE',
    message: 'The address of a webhook is on a private network, which WEBHOOK_PRIVATE_NETWORKS does not name',
  },
  EVENT_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Event not found' },
  WEBHOOK_CREATE_FORBIDDEN: { status: 403, message: 'You are not allowed to create webhooks here' },
  WEBHOOK_LIST_FORBIDDEN: { status: 403, message: 'You are not allowed to see these webhooks' },
  WEBHOOK_UPDATE_FORBIDDEN: { status: 403, message: 'You are not allowed to update this webhook' },
  WEBHOOK_DELETE_FORBIDDEN: { status: 403, message: 'You are not allowed to delete this webhook' },
  WEBHOOK_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Webhook limit reached' },
} as const
