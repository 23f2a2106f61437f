const ruleId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Whether it is said for whom a job means to act: anybody may have a rule that takes its token, under any name, so only an
 * organization, or the id of one rule, tells that apart.
 */
export const isSaidForWhom = ({
  organization,
  trust,
}: {
  organization?: string | undefined
  trust?: string | undefined
}) => Boolean(organization) || ruleId.test(trust ?? '')

/** The words of a token exchange (RFC 8693). */
export const exchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
/** What may be exchanged: an id token is a JWT, and its callers name it either way. */
export const subjectTokenTypes = [
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
] as const
