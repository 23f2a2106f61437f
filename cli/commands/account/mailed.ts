import { redirectErrors } from '../../../shared/errors.ts'
import type { Context } from '../../context.ts'
import type { LinkPurpose } from '../../link-token.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal } from '../../refusal.ts'
import { readSecret } from '../../secret.ts'

export const linkArgument = ['[link]', 'the link of the mail, or its token alone; - reads it from stdin'] as const

/** What was mailed, asked for where it is not given; `-` keeps it out of argv. */
export async function givenLink(context: Context, word: string | undefined, ready: string): Promise<string> {
  if (word === '-') return readSecret('-', 'LINK', context.host.stdin)
  const { link } = await context.ask({ link: { flag: 'LINK', label: 'Link from the mail', value: word } }, ready)
  return link
}

/** The token of a link of this run's service; parsing is loaded when there is something to parse. */
export async function tokenIn(context: Context, text: string, purpose: LinkPurpose): Promise<string> {
  const { tokenFrom } = await import('../../link-token.ts')
  return tokenFrom(text, purpose, context.settings.address.value.base)
}

/** A link that the service refused, in words for people; `again` is the command that asks for another mail. */
export async function openLink<T>(open: () => Promise<T>, again: string): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const refusal = refusalFrom(error)
    const word = refusal.message.replace(' ', '_')
    if (!Object.hasOwn(redirectErrors, word)) throw refusal
    const { exitCode, code, status } = refusal
    const hint = word === 'unauthorized' ? 'postern sign-in' : again
    throw new Refusal(exitCode, redirectErrors[word as keyof typeof redirectErrors], {
      code,
      status,
      hint,
      cause: error,
    })
  }
}
