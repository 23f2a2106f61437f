import type { OpenIdProvider, Person } from '../../server/testing/openid-provider.ts'
import { keepCookie } from '../../server/testing/visitor.ts'

/** A page as a person without a screen uses it: what it says, its forms and its links. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly text: string
}

/** A browser as far as pages without scripts need one: cookies, redirects, and forms that say where they come from. */
export class FormBrowser {
  readonly cookies = new Map<string, string>()

  open(url: string | URL): Promise<Page> {
    return this.#follow(new URL(url), { method: 'GET' })
  }

  /** Sends a form of that page, with its hidden fields, as if its button was pressed. */
  submit(page: Page, action: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const { url } = page
    const headers = { origin: url.origin, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ ...hiddenFields(page, action), ...fields })
    return this.#follow(new URL(action, url), { method: 'POST', headers, body })
  }

  /** Stays where another site would be asked: the address that leads there is the page's. */
  async #follow(start: URL, init: RequestInit): Promise<Page> {
    let [url, request] = [start, init]
    for (let hops = 0; hops < 5; hops += 1) {
      const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...(request.headers as Record<string, string> | undefined), ...(cookie ? { cookie } : {}) }
      const reply = await fetch(url, { ...request, headers, redirect: 'manual' })
      for (const line of reply.headers.getSetCookie()) keepCookie(this.cookies, line)
      const location = reply.headers.get('location')
      if (location === null) return { url, status: reply.status, text: await reply.text() }
      ;[url, request] = [new URL(location, url), { method: 'GET' }]
    }
    throw new Error(`${start.href} leads on and on`)
  }
}

/** `h1` of a page: what a person reads first. */
export const headingOf = ({ text }: Page): string => /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? ''

/** Where a page leads by itself. */
const onwardOf = ({ text, url }: Page): URL => {
  const [, target = ''] = /http-equiv="refresh" content="0;url=([^"]*)"/i.exec(text) ?? []
  return new URL(target.replaceAll('&amp;', '&'), url)
}

/** The hidden fields of a form. */
function hiddenFields({ text }: Page, action: string): Readonly<Record<string, string>> {
  const [form = ''] = new RegExp(`action="[^"]*/${action}".*?</form>`, 's').exec(text) ?? []
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

/** Types the code that a terminal shows. */
export async function typeCode(browser: FormBrowser, service: string, userCode: string): Promise<Page> {
  const page = await browser.open(`${service}/api/auth/page/device`)
  return browser.submit(page, 'device', { user_code: userCode })
}

/** Goes on to the provider, is somebody there, and comes back. */
export async function continueAt(
  provider: OpenIdProvider,
  browser: FormBrowser,
  page: Page,
  { person, action }: { person: Person; action: 'link' | 'provider' },
): Promise<Page> {
  const onward = await browser.submit(page, action, { provider: 'google' })
  return browser.open(await provider.visit(onwardOf(onward).href, person))
}

/** Goes on to the provider, says no there, and comes back. */
export async function refuseAt(service: string, browser: FormBrowser, page: Page): Promise<Page> {
  const state = onwardOf(await browser.submit(page, 'link', { provider: 'google' })).searchParams.get('state') ?? ''
  return browser.open(`${service}/api/auth/callback/google?error=access_denied&state=${state}`)
}
