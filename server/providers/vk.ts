import { randomBytes } from 'node:crypto'
import { clientIdOnly } from './authentication.ts'
import { coerceObject, joinNameParts, type Provider } from './provider.ts'

/** VK ID. Its id tokens have no published keys, so they are not read. */
export const vk: Provider = {
  id: 'vk',
  endpoints: {
    issuer: 'https://id.vk.ru',
    authorization: 'https://id.vk.ru/authorize',
    token: 'https://id.vk.ru/oauth2/auth',
    userinfo: 'https://id.vk.ru/oauth2/user_info',
  },
  scopes: ['email', 'phone', 'vkid.personal_info'],
  authentication: clientIdOnly,
  needsSecret: false,
  tokenParameters: ({ device_id: deviceId }, state) => ({ device_id: deviceId, state }),
  // VK repeats the request's state in its reply.
  tokenReply(reply, sent) {
    if (reply.state !== sent.get('state')) throw new Error('The reply has a different state')
    return reply
  },
  refresh: {
    keeps: ['device_id'],
    parameters: ({ device_id: deviceId }) => ({ device_id: deviceId, state: randomBytes(24).toString('base64url') }),
  },
  async profile({ ask, accessToken, registration: { clientId }, endpoints: { userinfo = '' } }) {
    const body = new URLSearchParams({ access_token: accessToken, client_id: clientId })
    const user = coerceObject(coerceObject(await ask(userinfo, { method: 'POST', body, isBearer: false })).user)
    // `verified` is about the person's account, not the address.
    return {
      id: user.user_id,
      name: joinNameParts(user.first_name, user.last_name),
      email: user.email,
      image: user.avatar,
    }
  },
}
