/** A refusal of a token exchange as OAuth words it. */
const exchange = <const Code extends string, const Sentence extends string>(code: Code, message: Sentence) =>
  ({ status: 400, kind: 'rejected', code, message, body: 'oauth' }) as const

/** The refusals about keys for machines, a part of the error catalogue. */
export const keyErrors = {
  KEY_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Key not found' },
  TRUST_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Trust rule not found' },
  KEY_CREATE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to create keys in this organization',
  },
  KEY_ROLE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to give a key this role' },
  KEY_LIST_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to see the keys of this organization',
  },
  KEY_ROTATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to rotate this key' },
  KEY_ROTATE_UNNAMED: {
    status: 403,
    kind: 'forbidden',
    code: 'KEY_ROTATE_UNNAMED',
    message:
      'The trust rule does not let its jobs rotate this key. A rule has to name keys that are older than itself: postern key trust create --rotates KEY',
  },
  KEY_REVOKE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to revoke this key' },
  KEY_ADOPT_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You can adopt only keys and trust rules that you could create yourself',
  },
  KEY_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Key limit reached' },
  KEY_EXPIRED: { status: 400, kind: 'conflict', message: 'The key has expired: it needs a new life' },
  KEY_LIFE_TOO_LONG: { status: 400, kind: 'rejected', message: 'A key may not live for so long' },
  SCOPE_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Scope not found' },
  IP_RANGE_INVALID: { status: 400, kind: 'rejected', message: 'Invalid IP range' },
  TRUST_ISSUER_UNKNOWN: { status: 400, kind: 'not-found', message: 'Issuer not accepted' },
  // Anybody can get a token of these issuers: a rule has to name a claim that nobody else's token can make.
  TRUST_TOO_WIDE: {
    status: 400,
    kind: 'rejected',
    message: 'The claims have to name one that is yours alone, like the repository',
  },
  EXCHANGE_GRANT_TYPE_UNKNOWN: exchange('unsupported_grant_type', 'Unsupported grant type'),
  EXCHANGE_TOKEN_TYPE_UNKNOWN: exchange('invalid_request', 'Unsupported token type'),
  // RFC 8693, 2.2.2 wants this code for every subject token that is not acceptable.
  EXCHANGE_TOKEN_REFUSED: exchange('invalid_request', 'The token was refused'),
  EXCHANGE_SPONSOR_GONE: exchange(
    'invalid_request',
    'The person responsible for this trust rule is no longer an active member. An owner can take it over: postern key trust adopt RULE',
  ),
  EXCHANGE_AMBIGUOUS: exchange('invalid_request', 'Several trust rules take this token: name the rule'),
} as const

/** What every call may tell a machine: a part of the failures of the edge. */
export const keyEdgeErrors = {
  SPONSOR_GONE: {
    status: 403,
    kind: 'forbidden',
    code: 'SPONSOR_GONE',
    message:
      'The person responsible for this machine is no longer an active member. An owner can take it over: postern key adopt KEY, or postern key trust adopt RULE',
  },
  SPONSOR_MAY_NOT: {
    status: 403,
    kind: 'forbidden',
    code: 'SPONSOR_MAY_NOT',
    message:
      'The person responsible for this machine may no longer do this. Somebody who may can take it over: postern key adopt KEY, or postern key trust adopt RULE',
  },
  KEY_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'Machine keys may not make this call' },
  KEY_SCOPE_MISSING: {
    status: 403,
    kind: 'forbidden',
    code: 'KEY_SCOPE_MISSING',
    message: 'This key lacks the scope {field}',
  },
} as const
