import type { OpenIdProvider } from '../../server/testing/openid-provider.ts'
import type { DemoStep } from './demo-steps.ts'
import { continueAt, FormBrowser, headingOf, type Page, typeCode } from './form-browser.ts'

/** Known at the provider; the service has never heard of her. */
const cleo = { sub: 'cleo-at-the-provider', email: 'cleo@example.com', email_verified: true, name: 'Cleo' }

/** A real OpenID provider on loopback, that the service takes for google. */
export async function startDemoProvider(service: string): Promise<OpenIdProvider> {
  // It warns that it keeps all in memory, and of its Node: neither is news to a demo.
  const { console: printed } = globalThis
  const warn = printed.warn.bind(printed)
  printed.warn = () => {}
  try {
    const { startOpenIdProvider } = await import('../../server/testing/openid-provider.ts')
    return await startOpenIdProvider({ redirectUris: [`${service}/api/auth/callback/google`] })
  } finally {
    printed.warn = warn
  }
}

const server = (says: string, args: readonly string[], expects: RegExp): DemoStep => ({
  says,
  at: 'server',
  args,
  expects,
})

export const beginStep = server(
  'A server without a browser: Cleo shall sign in there with a provider',
  ['sign-in', '--provider', 'google', '--start', '--json'],
  /"userCode"/,
)

/** What `--start` tells. */
export interface Begun {
  readonly ticket: string
  readonly userCode: string
}

export const finishSteps = ({ ticket }: Begun): readonly DemoStep[] => [
  server(
    'The server has the session, her browser has none',
    ['sign-in', '--resume', ticket],
    /Signed in as cleo@example\.com/,
  ),
  server('Who is it?', ['whoami'], /cleo@example\.com \(Cleo\)/),
  server('and by what?', ['account', 'link', 'list'], /Google\tcleo-at-the-provider/),
  {
    ...server('It is her only way in, so it stays', ['account', 'link', 'remove', 'google', '--yes'], /last account/),
    exitCode: 7,
  },
  server('Out again', ['sign-out'], /Signed out cleo@example\.com/),
]

/** As Cleo does it in a browser of her own, by the forms of the page. */
export async function approveInBrowser(
  service: string,
  provider: OpenIdProvider,
  { userCode }: Begun,
  say: (text: string) => void,
): Promise<void> {
  const browser = new FormBrowser()
  const tell = (did: string, page: Page) => say(`  ${did.padEnd(58)} → ${headingOf(page)}`)
  const claimed = await typeCode(browser, service, userCode)
  tell(`in her browser she types ${userCode}`, claimed)
  const known = await continueAt(provider, browser, claimed, { person: cleo, action: 'provider' })
  tell('continues with Google, signs in and agrees there', known)
  const done = await browser.submit(known, 'decision', { decision: 'approve' })
  tell('sees what asks, from where, and approves', done)
  if (headingOf(done) !== 'Approved' || browser.cookies.size > 0)
    throw new Error(`The page says ${headingOf(done)}, and the browser keeps ${[...browser.cookies.keys()].join()}`)
}
