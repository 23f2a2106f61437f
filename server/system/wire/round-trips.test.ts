import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { type EventName, ofCalls } from '../../testing/events-of-calls.ts'
import { type LastRequest, watchRequests } from '../../testing/last-request.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { inTurn } from '../../testing/rounds.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { useStarted } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

let service: TestService
const last: LastRequest = { trips: 0, texts: [] }
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  service = watchRequests(await createTestService(provider.settings('GOOGLE')), last)
  // As if each session had been used before.
  vi.spyOn(service.deps.provenSessions, 'has').mockReturnValue(true)
})
afterAll(() => service.stop())

const answers: Record<string, () => Promise<Reply>> = allAnswers(
  () => service,
  () => provider,
)

/** Calls that write nothing: by GET, and without an event. A mailed link deletes an account by GET. */
const reads = new Set(
  Object.entries(contract as Record<string, CallGroup>).flatMap(([group, calls]) => {
    const events = ofCalls[group as keyof typeof ofCalls] as Record<string, readonly EventName[]>
    return Object.keys(calls).filter((name) => calls[name]?.method === 'GET' && events[name]?.length === 0)
  }),
)

/** What is seldom asked: each step decides what the next one reads. A test of a webhook counts before anything is looked up. */
const more: Readonly<Record<string, number>> = { viewUser: 3, exportUser: 4, resendMail: 4, testWebhook: 4 }

/** What reads first, and does so together with the look-up of the session. */
const fewer: Readonly<Record<string, number>> = { getInvitation: 1, acceptInvitation: 2, rejectInvitation: 2 }

it.each(inTurn(Object.entries(answers)))('%s travels seldom to the database', async (name, act) => {
  // The first time connections are opened, too.
  await act()
  await act()
  expect(last.trips).toBeLessThanOrEqual(fewer[name] ?? more[name] ?? (reads.has(name) ? 2 : 3))
})

it('knows which calls read', () => {
  expect([reads.size > 20, reads.has('listMembers'), reads.has('deleteUserCallback')]).toEqual([true, true, false])
})
