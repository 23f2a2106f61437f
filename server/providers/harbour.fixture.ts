import { coerceObject, type Provider } from './provider.ts'

/** A provider that does not exist. */
export const harbour: Provider = {
  id: 'harbour',
  endpoints: {
    issuer: 'https://harbour.example',
    authorization: 'https://harbour.example/authorize',
    token: 'https://harbour.example/token',
    userinfo: 'https://harbour.example/me',
  },
  scopes: ['pilot'],
  options: { BERTH: { expected: 'one word', pattern: /^\w+$/ } },
  parameters: ({ options }) => ({ berth: options.BERTH }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const pilot = coerceObject(coerceObject(await ask(userinfo)).pilot)
    return { id: pilot.number, email: pilot.mail }
  },
}
