/** The longest address that SMTP can carry (RFC 5321 4.5.3.1.3, without the angle brackets). */
const maxLength = 254

const local = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]$/i
const label = /^[a-z0-9][a-z0-9-]*$/i
const topLevel = /^[a-z]{2,}$/i

/** A domain without mailboxes (RFC 2606), which marks the address of a machine. */
const machineDomain = '@machine.invalid'

/** The address of a machine user, since every user must have one. */
export const machineAddress = (userId: string): string => `${userId}${machineDomain}`

export const isMachineAddress = (text: string): boolean => text.toLowerCase().endsWith(machineDomain)

/**
 * Returns whether the text is one plain ASCII address: no list, quotes, comments or second `@`. False for a machine's
 * address.
 */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  if (at < 1 || text.length > maxLength || isMachineAddress(text)) return false
  const labels = text.slice(at + 1).split('.')
  const last = labels.at(-1) ?? ''
  return (
    local.test(text.slice(0, at)) &&
    labels.length > 1 &&
    labels.every((part) => label.test(part)) &&
    topLevel.test(last)
  )
}

/** The form in which addresses are stored and looked up. */
export const canonicalEmail = (text: string): string => text.toLowerCase()
