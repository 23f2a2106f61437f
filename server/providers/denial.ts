/** How providers report that the user declined: RFC 6749 4.1.2.1, Apple and LinkedIn. */
const denials: ReadonlySet<string> = new Set(['access_denied', 'user_cancelled_authorize', 'user_cancelled_login'])

/** Whether a callback's error means that the user declined. Any other error may be temporary. */
export const isDenial = (error: string): boolean => denials.has(error)
