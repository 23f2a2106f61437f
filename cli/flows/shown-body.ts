/** Keys whose values can be shown. Other keys appear without their values. */
const visibleKeys = new Set(
  `email newEmail name image slug logo rememberMe callbackURL status id query organizationId
   organizationSlug memberId memberIdOrEmail userId teamId invitationId keyId trustId role resend
   permissions permission scopes ipRanges expiresIn overlap limit offset cursor before after since
   until event action actor types type order searchField searchOperator searchValue sortBy
   sortDirection filterField filterOperator filterValue providerId provider accountId
   revokeOtherSessions banReason banExpiresIn issuer audience claims disableCookieCache`.split(/\s+/),
)

/** The value with secret parts hidden; undefined if all of it is secret. */
export function shownValue(key: string, value: unknown): unknown {
  return key === 'data' ? shownBody(value) : visibleKeys.has(key) ? value : undefined
}
export const hiddenMark = '***'

/** A request body with its secrets hidden, without what JSON leaves out. */
export const shownBody = (body: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Object(body))
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, isHidden(key) ? hiddenMark : shownValue(key, value)]),
  )

const isHidden = (key: string): boolean => key !== 'data' && !visibleKeys.has(key)
