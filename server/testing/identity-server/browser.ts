import type { Callback } from './authorize.ts'

/** What a browser does at a provider where its owner agrees at once: where it goes next, with the form if it posts one. */
export async function agreeAt(address: string): Promise<Callback> {
  const response = await fetch(address, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location) return { url: location }
  const page = await response.text()
  const [, url] = /<form method="post" action="([^"]*)">/.exec(page) ?? []
  if (url === undefined) throw new Error(`The provider refused: ${response.status} ${page}`)
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = [...inputs].map(([, name = '', value = '']): [string, string] => [
    name,
    value.replaceAll('&quot;', '"'),
  ])
  return { url, form: new URLSearchParams(fields).toString() }
}
