import { signInLine } from '../auth/sign-in-line.ts'
import type { LinkPurpose } from './link-token.ts'

// The parser is loaded only when there is a link to read.
const parser = () => import('./link-token.ts')

/** The token of a link of the service at `base`. Refuses links of other services or for other purposes. */
export async function tokenIn(text: string, purpose: LinkPurpose, base: string): Promise<string> {
  const { tokenFrom } = await parser()
  return tokenFrom(text, purpose, base)
}

/** The claims of a verification token, unverified. */
export async function claimsIn(token: string): Promise<{ readonly email: string; readonly isChange: boolean }> {
  const { claimsOf } = await parser()
  return claimsOf(token)
}

/** Opens a link and explains a refusal. `again`: the command that requests another mail. */
export async function openLink<T>(open: () => Promise<T>, again: string): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const { describeLinkError } = await import('./describe-link-error.ts')
    throw describeLinkError(error, (word) => (word === 'unauthorized' ? signInLine() : again))
  }
}
