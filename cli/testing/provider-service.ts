import type { Environment } from '../../server/config.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../server/testing/openid-provider.ts'
import { freePort } from '../../server/testing/ports.ts'
import { testPassword } from '../../server/testing/service.ts'
import { linkAt, personAt } from '../../server/testing/social.ts'
import type { Visitor } from '../../server/testing/visitor.ts'
import { type OwnService, startOwnService } from './own-service.ts'

export interface ProviderService extends OwnService {
  readonly provider: OpenIdProvider
  /** That person's browser, signed in. */
  browserOf(email: string): Promise<Visitor>
  /** Links an account of theirs at google, as a page does; its id there. */
  linkGoogle(email: string, providerEmail?: string): Promise<string>
}

/** The service, and a real OpenID provider on loopback that stands in for these. */
export async function startProviderService(
  prefixes: readonly string[] = ['GOOGLE'],
  settings: Environment = {},
): Promise<ProviderService> {
  const port = await freePort()
  const back = (prefix: string) => `http://localhost:${port}/api/auth/callback/${prefix.toLowerCase()}`
  const provider = await startOpenIdProvider({ redirectUris: prefixes.map(back) })
  const standIns = Object.assign({}, ...prefixes.map((prefix) => provider.settings(prefix))) as Environment
  const own = await startOwnService({ PORT: String(port), ...standIns, ...settings })
  const browserOf = async (email: string) => {
    const browser = own.service.visitor()
    await browser.post('/sign-in/email', { email, password: testPassword })
    return browser
  }
  return {
    ...own,
    provider,
    browserOf,
    linkGoogle: async (email, providerEmail = email) => {
      const person = personAt({ email: providerEmail })
      const reply = await linkAt(provider, await browserOf(email), person)
      if (reply.headers.get('location') !== '/linked') throw new Error(`Not linked: ${reply.headers.get('location')}`)
      return person.sub
    },
    stop: async () => {
      await own.stop()
      await provider.stop()
    },
  }
}
