import type { OwnService, TestPerson } from './own-service.ts'

/** Ada, with the platform role `admin`, signed in on a machine of her own. */
export async function adminOf(own: OwnService): Promise<TestPerson> {
  const person = await own.person('Ada')
  await own.service.deps.sql`update users set roles = '{admin}' where email = ${person.email}`
  return person
}
