import { coerceObject, type Json, type Provider } from './provider.ts'

export const discord: Provider = {
  id: 'discord',
  endpoints: {
    issuer: 'https://discord.com',
    authorization: 'https://discord.com/oauth2/authorize',
    token: 'https://discord.com/api/oauth2/token',
    userinfo: 'https://discord.com/api/users/@me',
  },
  scopes: ['identify', 'email'],
  options: { PROMPT: { expected: 'none or consent', pattern: /^(none|consent)$/ } },
  // Users who agreed before are not asked again; others still are.
  parameters: ({ options }) => ({ prompt: options.PROMPT ?? 'none' }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo))
    return {
      id: user.id,
      name: user.global_name || user.username,
      email: user.email,
      emailVerified: user.verified,
      image: imageOf(user),
    }
  },
}

const pictures = 'https://cdn.discordapp.com'

/** Discord gives the parts of a picture's address, and numbers its default pictures by the user id. */
function imageOf({ id, avatar, discriminator }: Json): string | undefined {
  if (typeof id !== 'string' || !/^\d{1,20}$/.test(id)) return undefined
  if (typeof avatar === 'string' && /^\w+$/.test(avatar))
    return `${pictures}/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
  const old = Number(discriminator)
  const number = old > 0 ? old % 5 : Number((BigInt(id) >> 22n) % 6n)
  return `${pictures}/embed/avatars/${number}.png`
}
