import { expect, it } from 'vitest'
import { checksumOf, keyPrefix } from '../../../shared/key-text.ts'
import { done } from '../../testing/organizations.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

/** The round trips of one request with each of these keys, all at once, and whom each is said to be. */
async function tripsOf(keys: readonly string[]) {
  const visitor = service.visitor()
  const before = service.trips.count
  const answers = await Promise.all(keys.map((key) => visitor.get('/get-session', { authorization: `Bearer ${key}` })))
  return { trips: service.trips.count - before, users: answers.map(({ body }) => body?.user.id) }
}

const invented = (n: number): string => {
  const secret = String(n).padStart(43, 'x')
  return keyPrefix + secret + checksumOf(secret)
}

it('keys that were used before share round trips, and an invented one shares nothing with anybody', async () => {
  const people = await Promise.all(Array.from({ length: 16 }, () => service.person()))
  const made = await Promise.all(people.map((person) => done(person.post('/key/create', { name: 'deploy' }))))
  const keys = made.map(({ token }) => String(token))
  const ids = await Promise.all(people.map(async (person) => (await done(person.get('/get-session'))).user.id))
  // By then each is known, and each connection has prepared the statements.
  for (const _ of [1, 2]) await tripsOf(keys)
  const used = await tripsOf(keys)
  expect([used.users, used.trips < 16]).toEqual([ids, true])
  const unknown = await tripsOf(keys.map((_, n) => invented(n)))
  expect([unknown.users, unknown.trips >= 16]).toEqual([keys.map(() => undefined), true])
})
