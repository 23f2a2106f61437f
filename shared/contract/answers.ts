import * as z from 'zod'

/** The answer of a call that only says that it is done. */
export const done = z.object({ status: z.boolean() })
/** The same where better-auth names it `success`. */
export const success = z.object({ success: z.boolean() })
