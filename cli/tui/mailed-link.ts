import { exitCodes } from '../../shared/exit-codes.ts'
import type { LinkPurpose } from '../link-token.ts'
import { Refusal } from '../refusal.ts'

/** Where a link belongs that was pasted elsewhere. */
const places: Readonly<Record<LinkPurpose, string>> = {
  verify: 'It verifies or changes an address: 2 has a form for it.',
  reset: 'It sets a new password: 2 has a form for it.',
  delete: 'It deletes an account: 4 has a form for it.',
}

// All of this is loaded when there is a link to read, not with the first frame.
const parser = () => import('../link-token.ts')

/** The token of what was pasted for one purpose: a token alone, or the whole link of a mail of the service at `base`. */
export async function tokenIn(pasted: string, purpose: LinkPurpose, base: string): Promise<string> {
  const { readMailed } = await parser()
  const found = worded(() => readMailed(unbroken(pasted), base))
  if (found.purpose === undefined || found.purpose === purpose) return found.token
  throw new Refusal(exitCodes.usage, 'This link is for something else', { code: 'USAGE', hint: places[found.purpose] })
}

/** Whom a verification token speaks of, unproven. */
export async function claimsIn(token: string): Promise<{ readonly email: string; readonly isChange: boolean }> {
  const { claimsOf } = await parser()
  return worded(() => claimsOf(token))
}

/** Opens a link; a refusal is told in words for people, and `again` says where another mail comes from. */
export async function openLink<T>(open: () => Promise<T>, again: string): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const { refusedLink } = await import('../refused-link.ts')
    throw refusedLink(error, (word) => (word === 'unauthorized' ? '2 lists the accounts and signs in.' : again))
  }
}

/** A link has no spaces: those come from the lines that a mail broke it into. */
const unbroken = (text: string): string => (/^\s*<?https?:/i.test(text) ? text.replaceAll(/\s/g, '') : text)

/** The same refusal with a hint for the screen in place of a command. */
function worded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { exitCode, message, code, fields } = error
    const isElsewhere = fields?.includes('--url')
    const hint = isElsewhere ? 'Name the server that sent the mail.' : 'Copy the whole link from the mail.'
    throw new Refusal(exitCode, message, { code, hint, cause: error })
  }
}
