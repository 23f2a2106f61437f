import { createProviders, type Providers } from '../../providers/create-providers.ts'
import type { Grant } from '../../providers/flow.ts'
import type { ConfiguredProvider, Registration } from '../../providers/provider.ts'
import type { IdentityServer } from '../identity-server.ts'
import { agreeAt } from './browser.ts'
import { configuredFor } from './configured.ts'
import { somebody } from './person.ts'
import type { Scene, Stand } from './scene.ts'

/** A sign-in at a provider from its beginning to who it was, without the service around it. */
export interface OneFlow {
  readonly providers: Providers
  readonly configured: ConfiguredProvider
  /** Where the browser is sent. */
  begin(): Promise<string>
  /** Begins, agrees, comes back and redeems the code. */
  run(): Promise<Grant>
}

export interface FlowOptions {
  readonly registration?: Partial<Registration>
  readonly scopes?: readonly string[]
  readonly loginHint?: string
}

const state = 'state-of-exactly-32-characters-0'
const verifier = 'v'.repeat(128)
const nonce = 'a-nonce-of-some-length-that-is-enough'

/** At a provider where that scene takes place. */
export function oneFlow(
  stand: Stand,
  scene: Scene,
  { registration, scopes = [], loginHint }: FlowOptions = {},
): OneFlow {
  stand.scene = scene
  const configured = configuredFor(stand, registration)
  const providers = createProviders([configured], Date.now)
  const { redirectUri } = stand
  const begin = () => providers.begin(configured, { state, redirectUri, verifier, nonce, scopes, loginHint })
  const run = async () => {
    const { url, form } = await agreeAt(await begin())
    const fields = new URLSearchParams(form ?? new URL(url).search)
    const { code = '', iss, device_id, user } = Object.fromEntries<string | undefined>(fields)
    const callback = { device_id, user }
    return providers.redeem(configured, { code, state, iss, callback, redirectUri, verifier, nonce }, 'somebody')
  }
  return { providers, configured, begin, run }
}

/** Sign-ins of somebody at the providers of a server, and who it was. */
export function flowsOf(server: () => IdentityServer) {
  const flowAt = (id: keyof IdentityServer['stands'], scene: Partial<Scene> = {}, options: FlowOptions = {}) =>
    oneFlow(server().stands[id], { person: somebody(), ...scene }, options)
  const identityAt = async (...given: Parameters<typeof flowAt>) => (await flowAt(...given).run()).identity
  return { flowAt, identityAt }
}
