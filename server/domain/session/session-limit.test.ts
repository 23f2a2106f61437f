import { afterAll, beforeAll, expect, it } from 'vitest'
import { enough, rounds } from '../../testing/races.ts'
import { countSessions } from '../../testing/rows.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'

// Five hashes each.
const tries = Math.ceil(rounds / 4)

let service: TestService
beforeAll(async () => {
  service = await createTestService({ SESSION_LIMIT: '3' }, { queue: { running: 2, waiting: 100, patience: 60_000 } })
})
afterAll(() => service.stop())

it(
  `parallel sign-ins of one user all succeed, and the next one brings them below the limit, ${tries} times`,
  enough,
  async () => {
    const services = [service, await service.sibling()]
    const { email } = await service.person()
    for (let round = 0; round < tries; round += 1) {
      const visitors = Array.from({ length: 4 }, (_, index) => services[index % 2]!.visitor())
      const replies = await Promise.all(
        visitors.map((visitor) => visitor.post('/sign-in/email', { email, password: testPassword })),
      )
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      await service.visitor().post('/sign-in/email', { email, password: testPassword })
      expect(await countSessions(service, email)).toBe(3)
    }
  },
)
