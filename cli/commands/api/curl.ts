import type { Request } from '../../client/client.ts'

/** The same request as a curl command; the session is fetched when it runs, so that no secret is printed. */
export function curlLine(base: string, { method, path, query, body }: Request, hasSession: boolean): string {
  const search = query ? `?${new URLSearchParams(query).toString().replaceAll('+', '%20')}` : ''
  const words = ['curl', '-sS']
  if (method === 'POST') words.push('-X', 'POST', '-H', quoted('content-type: application/json'))
  if (hasSession) words.push('-H', '"authorization: Bearer $(postern auth token)"')
  if (method === 'POST') words.push('--data-raw', quoted(JSON.stringify(body ?? {})))
  return [...words, quoted(base + path + search)].join(' ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
