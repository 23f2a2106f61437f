/** Longest address that SMTP can carry (RFC 5321 4.5.3.1.3, without the angle brackets). */
const maxLength = 254

const local = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]$/i
const label = /^[a-z0-9][a-z0-9-]*$/i
const topLevel = /^[a-z]{2,}$/i

/** One plain ASCII address: no list, quotes, comments or second `@`. */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  if (at < 1 || text.length > maxLength) return false
  const labels = text.slice(at + 1).split('.')
  const last = labels.at(-1) ?? ''
  return (
    local.test(text.slice(0, at)) &&
    labels.length > 1 &&
    labels.every((part) => label.test(part)) &&
    topLevel.test(last)
  )
}

/** The form that is stored and looked up. */
export const canonicalEmail = (text: string): string => text.toLowerCase()
