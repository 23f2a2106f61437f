import { signInLine } from '../auth/sign-in-line.ts'
import type { LinkPurpose } from './link-token.ts'

// All of this is loaded when there is a link to read: most runs have none.
const parser = () => import('./link-token.ts')

/** The token of a link of the service at `base`; refuses what is for something else, or of another service. */
export async function tokenIn(text: string, purpose: LinkPurpose, base: string): Promise<string> {
  const { tokenFrom } = await parser()
  return tokenFrom(text, purpose, base)
}

/** Whom a verification token speaks of, unproven. */
export async function claimsIn(token: string): Promise<{ readonly email: string; readonly isChange: boolean }> {
  const { claimsOf } = await parser()
  return claimsOf(token)
}

/** Opens a link; a refusal is told in words for people, and `again` is the command that asks for another mail. */
export async function openLink<T>(open: () => Promise<T>, again: string): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const { describeLinkError } = await import('./describe-link-error.ts')
    throw describeLinkError(error, (word) => (word === 'unauthorized' ? signInLine() : again))
  }
}
