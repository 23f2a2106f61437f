import type { ApiAnswer, ApiRequest } from '../../client/client.ts'
import { good, refuse } from './answers.ts'
import type { FakeLink, FakeSession, FakeWorld } from './fake-world.ts'

/** What the fake service answers about linked accounts; undefined: it is about something else. */
export function answerLinks(
  world: FakeWorld,
  { path, body }: ApiRequest,
  { email }: FakeSession,
): ApiAnswer | undefined {
  const own = world.links.filter((link) => link.email === email)
  const { providerId, accountId, provider = '' } = Object(body) as Record<string, string>
  switch (path) {
    case '/list-accounts':
      return good(own.map(shown))
    case '/unlink-account':
      return unlink(
        world,
        own,
        own.find((link) => link.provider === providerId && link.accountId === accountId),
      )
    case '/refresh-token': {
      const found = own.find(({ id }) => id === accountId)
      return found
        ? good({ accessToken: 'at', scopes: found.scopes })
        : refuse(400, 'ACCOUNT_NOT_FOUND', 'Account not found')
    }
    case '/device/link':
      return start(world, email, provider)
    case '/device/link/status':
      return poll(world)
    default:
      return undefined
  }
}

const shown = ({ id, provider, accountId, scopes }: FakeLink) => {
  const at = new Date(Date.now() - 3_600_000).toISOString()
  return { id, provider, accountId, scopes, createdAt: at, updatedAt: at }
}

function unlink(world: FakeWorld, own: readonly FakeLink[], found: FakeLink | undefined): ApiAnswer {
  if (own.length === 1) return refuse(400, 'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT', "You can't unlink your last account")
  if (!found) return refuse(400, 'ACCOUNT_NOT_FOUND', 'Account not found')
  world.links.splice(world.links.indexOf(found), 1)
  return good({ status: true })
}

function start(world: FakeWorld, email: string, provider: string): ApiAnswer {
  if (provider === 'kick') return refuse(404, 'PROVIDER_NOT_FOUND', 'Provider not found')
  world.linking = { id: `link-${provider}`, provider, accountId: '4711', scopes: ['email'], email }
  return good({
    device_code: 'secret',
    user_code: 'BCDF-GHJK',
    verification_uri: `${world.origin}/api/auth/page/device`,
    verification_uri_complete: `${world.origin}/api/auth/page/device?user_code=BCDF-GHJK`,
    expires_in: 600,
    interval: 1,
  })
}

/** Made as soon as the test says that the person is done in the browser. */
function poll(world: FakeWorld): ApiAnswer {
  const { linking, isLinkMade } = world
  const pending = { error: 'authorization_pending', error_description: 'Authorization pending' }
  if (!linking || isLinkMade === undefined) return { status: 400, headers: {}, body: pending }
  if (!isLinkMade)
    return { status: 400, headers: {}, body: { error: 'access_denied', error_description: 'Access denied' } }
  world.links.push(linking)
  return good({ linked: shown(linking) })
}
