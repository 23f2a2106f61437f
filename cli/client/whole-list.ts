import { AnswerError } from './errors.ts'

/** The part of an answer that matters here. */
interface ListAnswer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

/** Far more than any service has; a list without an end would keep us for ever. */
const maxPages = 1000

/** A list to its end: the Link header of a page tells where it goes on (RFC 8288). Any other answer stays as it is. */
export async function wholeList(first: ListAnswer, ask: (offset: number) => Promise<ListAnswer>): Promise<unknown> {
  if (!Array.isArray(first.body)) return first.body
  const rows: unknown[] = [...(first.body as unknown[])]
  let next = nextOf(first)
  for (let pages = 1; next !== null; pages += 1) {
    if (next !== rows.length || pages === maxPages) throw endless()
    const page = await ask(next)
    if (!Array.isArray(page.body) || page.body.length === 0) throw endless()
    rows.push(...(page.body as unknown[]))
    next = nextOf(page)
  }
  return rows
}

function nextOf({ headers: { link } }: ListAnswer): number | null {
  const [, offset] = /<[^>]*[?&]offset=(\d{1,9})(?:&[^>]*)?>\s*;\s*rel="?next"?/.exec([link].flat().join(', ')) ?? []
  return offset === undefined ? null : Number(offset)
}

const endless = () =>
  new AnswerError('The pages of a list do not fit together', 'Is the address right? postern auth status --explain')
