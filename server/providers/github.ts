import { AnswerError, type Json, type ProfileSource, type Provider } from './provider.ts'

export const github: Provider = {
  id: 'github',
  endpoints: {
    issuer: 'https://github.com/login/oauth',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    userinfo: 'https://api.github.com/user',
  },
  scopes: ['read:user', 'user:email'],
  parameters: (_registration, { loginHint }) => ({ login: loginHint }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = Object(await ask(userinfo, { headers })) as Json
    const found = await findEmail(ask, `${userinfo}/emails`, user.email)
    return { id: user.id, name: user.name || user.login, image: user.avatar_url, ...found }
  },
}

const headers = { accept: 'application/vnd.github+json' }

/** The profile's address, or the primary one. Only the list says whether it is verified. */
async function findEmail(ask: ProfileSource['ask'], address: string, shown: unknown) {
  const entries = await addressesAt(ask, address).catch(noneIfRefused)
  const entry = shown
    ? entries.find(({ email }) => email === shown)
    : (entries.find(({ primary }) => primary === true) ?? entries[0])
  return { email: shown || entry?.email, emailVerified: entry?.verified === true }
}

/** The most that GitHub sends at once, and more pages than a person has addresses for. */
const pageSize = 100
const mostPages = 10

async function addressesAt(ask: ProfileSource['ask'], address: string): Promise<readonly Json[]> {
  const entries: Json[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const listed = await ask(`${address}?per_page=${pageSize}&page=${page}`, { headers })
    if (!Array.isArray(listed)) break
    entries.push(...listed.map((entry): Json => Object(entry) as Json))
    if (listed.length < pageSize) break
  }
  return entries
}

/** Without the scope for it there is no list. Any other error says nothing about the address. */
function noneIfRefused(error: unknown): [] {
  if (error instanceof AnswerError && (error.status === 403 || error.status === 404)) return []
  throw error
}
