import * as z from 'zod'
import { isLoopback } from '../../shared/loopback.ts'

/** What stands for the invitation in the address of an application's page. */
const place = '{id}'

const filled = (text: string, id: string): string => text.replaceAll(place, encodeURIComponent(id))

/** Why it cannot lead to an application's page. Null when it can. */
function problemOf(text: string): string | null {
  const [one, other] = ['a', 'b'].map((id) => (URL.canParse(filled(text, id)) ? new URL(filled(text, id)) : null))
  if (!one || !other) return 'an absolute address, like https://app.example.com/invitation'
  if (/[{}]/.test(filled(text, ''))) return `no other place than ${place}, which stands for the invitation`
  if (one.protocol !== other.protocol || one.host !== other.host)
    return `${place} in the path, the query or the fragment`
  return one.username || one.password ? 'an address without user or password' : null
}

/** The setting: the text as it is given. */
export const invitationUrl = z.string().superRefine((text, context) => {
  const expected = problemOf(text)
  if (expected) context.addIssue({ code: 'custom', message: expected })
})

interface Trust {
  readonly INVITATION_URL?: string | undefined
  readonly TRUSTED_ORIGINS: readonly ((target: URL) => boolean)[]
}

/** As for every page that a link leads to: nobody on the way reads it, or the operator trusts it by name. */
export function invitationUrlProblems({ INVITATION_URL: text, TRUSTED_ORIGINS: trusted }: Trust): string[] {
  if (text === undefined) return []
  const url = new URL(filled(text, 'a'))
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (isSafe || trusted.some((matches) => matches(url))) return []
  return [`INVITATION_URL is "${text}": expected https, plain http to this machine, or an address of TRUSTED_ORIGINS`]
}

/** Where an invitation is answered at the application. Without a place for it, the id comes as `id` in the query. */
export function invitationUrlOf(text: string, id: string): string {
  if (text.includes(place)) return filled(text, id)
  const url = new URL(text)
  url.searchParams.set('id', id)
  return url.href
}
