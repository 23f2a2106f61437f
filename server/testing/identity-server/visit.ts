import type { Reply, Visitor } from '../visitor.ts'
import type { Callback } from './authorize.ts'
import { agreeAt } from './browser.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }

/** Comes back from a provider: by its address, or by the form that it posts from its own site, without any of our cookies. */
export async function comeBack(visitor: Visitor, { url, form: body }: Callback): Promise<Reply> {
  if (body === undefined) return visitor.get(url)
  const headers = {
    ...form,
    'content-length': String(Buffer.byteLength(body)),
    origin: 'https://appleid.apple.com',
    cookie: '',
  }
  const posted = await visitor.send(url, { method: 'POST', body, headers })
  return visitor.get(new URL(posted.headers.get('location') ?? '', url).href)
}

/** Begins with `path`, agrees at the provider, and comes back. */
export async function goThrough(visitor: Visitor, path: string, body: object): Promise<Reply> {
  const begun = await visitor.post(path, body)
  if (begun.status !== 200) throw new Error(`${path} answered ${begun.status}: ${begun.text}`)
  return comeBack(visitor, await agreeAt(begun.body.url))
}
