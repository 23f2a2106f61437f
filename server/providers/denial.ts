/** How providers say that the person said no: as RFC 6749 4.1.2.1 names it, and as Apple and LinkedIn do. */
const denials: ReadonlySet<string> = new Set(['access_denied', 'user_cancelled_authorize', 'user_cancelled_login'])

/** Whether the error of a callback is the person's own no; any other may be over by the next try. */
export const isDenial = (error: string): boolean => denials.has(error)
