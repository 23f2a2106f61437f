import type { OwnService, TestPerson } from './own-service.ts'

/** Somebody with the platform role `admin`, signed in on a machine of their own. */
export async function adminOf(own: OwnService, name = 'Ada'): Promise<TestPerson> {
  const person = await own.person(name)
  await own.service.deps.sql`update users set roles = '{admin}' where email = ${person.email}`
  return person
}
