import type { Deps } from '../../deps.ts'
import { type Identity, identityOf } from '../../providers/identity.ts'
import type { ConfiguredProvider, Profile } from '../../providers/provider.ts'
import { runBefore, wrongAnswer } from '../hooks.ts'

/**
 * What the application's own function makes of a profile, looked at as if the provider had said it. The id stays: it alone says
 * who somebody is. Another address is verified only where the function says so: the provider's word was about the old one.
 */
export async function mapProfile(
  { config }: Deps,
  { provider }: ConfiguredProvider,
  identity: Identity,
): Promise<Identity> {
  const map = config.extensions.mapProfile
  const answer = (await runBefore(map, identity, provider.id)) ?? {}
  if (typeof answer !== 'object') throw wrongAnswer('mapProfile', 'an object, or nothing')
  const { email, emailVerified, name, image } = answer as Omit<Profile, 'id'>
  const mapped = identityOf({
    id: identity.id,
    email: email ?? identity.email,
    emailVerified: emailVerified ?? identity.emailVerified,
    name: name ?? identity.name,
    image: image ?? identity.image,
  })
  const isOther = mapped.email !== identity.email
  return isOther && emailVerified !== true ? { ...mapped, emailVerified: false } : mapped
}
