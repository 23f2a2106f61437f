import type { Context } from '../../context.ts'
import type { LinkPurpose } from '../../link-token.ts'
import { refusedLink } from '../../refused-link.ts'
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
export const openLink = <T>(open: () => Promise<T>, again: string): Promise<T> =>
  open().catch((error: unknown) => {
    throw refusedLink(error, (word) => (word === 'unauthorized' ? 'postern sign-in' : again))
  })
