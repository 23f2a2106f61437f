import type { ConfiguredProvider, Registration } from '../../providers/provider.ts'
import { providers } from '../../providers/providers.ts'
import type { Stand } from './scene.ts'

/** The provider as settings would turn it on, with the endpoints of its stand-in. */
export function configuredFor(stand: Stand, registration: Partial<Registration> = {}): ConfiguredProvider {
  const provider = providers.find(({ id }) => id === stand.id)
  if (!provider) throw new Error(`There is no provider ${stand.id}`)
  const { teamId, keyId, pem } = stand.appleKey
  const options = stand.id === 'apple' ? { TEAM_ID: teamId, KEY_ID: keyId, PRIVATE_KEY: pem } : {}
  return {
    provider,
    registration: {
      clientId: stand.client.id,
      clientSecret: stand.rules.auth === 'none' ? '' : stand.client.secret,
      overrides: stand.endpoints,
      scopes: null,
      disableSignUp: false,
      disableImplicitSignUp: false,
      overrideUserInfo: false,
      ...registration,
      options: { ...options, ...registration.options },
    },
  }
}
