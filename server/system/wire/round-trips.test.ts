import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Reply } from '../../testing/visitor.ts'

let provider: OpenIdProvider
let service: TestService
/** Round trips of the last request, to whichever service. */
let lastTrips = 0
beforeAll(async () => {
  provider = await startOpenIdProvider()
  service = watch(await createTestService(provider.settings('GOOGLE')))
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
})

function watch(watched: TestService): TestService {
  const { app, trips } = watched
  const makeSibling = watched.sibling.bind(watched)
  const send = app.request.bind(app)
  app.request = async (...request) => {
    const before = trips.count
    const reply = await send(...request)
    lastTrips = trips.count - before
    return reply
  }
  return Object.assign(watched, { sibling: async (...settings) => watch(await makeSibling(...settings)) } as Pick<
    TestService,
    'sibling'
  >)
}

const answers: Record<string, () => Promise<Reply>> = allAnswers(
  () => service,
  () => provider,
)

const methods = new Map(
  Object.values(contract as Record<string, CallGroup>).flatMap((group) =>
    Object.entries(group).map(([name, { method }]) => [name, method] as const),
  ),
)

/**
 * Calls that travel more often, since each statement decides what the next one asks for: somebody else's account or key
 * is looked up before its owner can be locked, and between two statements a provider is asked or a password hashed.
 */
const more: Record<string, number> = {
  deleteUserCallback: 4,
  oneTap: 4,
  refreshToken: 5,
  removeUser: 5,
  revokeUserSession: 4,
  rotateKeys: 10,
  setUserPassword: 4,
  signInSocial: 4,
}

it.each(Object.entries(answers))('%s travels seldom to the database', async (name, act) => {
  // The first time connections are opened, too.
  await act()
  await act()
  const most = methods.get(name) === 'GET' ? 2 : 3
  const isMore = more[name] !== undefined
  // What travels no more than others any longer leaves the list.
  expect([isMore ? lastTrips : Math.max(most, lastTrips), lastTrips > most]).toEqual([more[name] ?? most, isMore])
})
