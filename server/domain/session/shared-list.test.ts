import { afterEach, expect, it } from 'vitest'
import { createTestService, type TestService } from '../../testing/service.ts'

let service: TestService
afterEach(() => service.stop())

/** The round trips of sixteen people who list their sessions at once. */
async function tripsWith(SESSION_LIMIT: string): Promise<number> {
  service = await createTestService({ SESSION_LIMIT })
  const people = await Promise.all(Array.from({ length: 16 }, () => service.person()))
  const ask = () => Promise.all(people.map((person) => person.get('/list-sessions')))
  // Each connection has prepared the statements.
  for (const _ of [1, 2]) await ask()
  const before = service.trips.count
  const answers = await ask()
  const trips = service.trips.count - before
  const own = await Promise.all(people.map(async (person) => (await person.get('/get-session')).body.session.userId))
  expect(answers.map(({ body }) => body.map(({ userId }: { userId: string }) => userId))).toEqual(own.map((id) => [id]))
  return trips
}

it('lists of few sessions share round trips', async () => {
  expect(await tripsWith('100')).toBeLessThan(16)
})

it('lists that may be long do not: each would hold the others', async () => {
  expect(await tripsWith('101')).toBeGreaterThanOrEqual(16)
})
