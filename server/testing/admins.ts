import { userOf } from './mailed.ts'
import type { Person } from './organizations.ts'
import type { TestService } from './service.ts'

/** Somebody with an id. */
export type Somebody = Person & { readonly id: string }

export async function somebody(service: TestService, fields?: { email?: string; name?: string }): Promise<Somebody> {
  const person = await service.person(fields)
  const { id } = await userOf(service, person.email)
  return { ...person, id }
}

/** Somebody who has these platform roles. */
export async function holderOf(service: TestService, ...roles: string[]): Promise<Somebody> {
  const person = await somebody(service)
  await service.deps.sql`update users set roles = ${roles} where id = ${person.id}`
  return person
}

export const adminOf = (service: TestService): Promise<Somebody> => holderOf(service, 'admin')

/** An administrator, acting as somebody by the cookies of their browser. */
export async function actingAs(service: TestService): Promise<{ admin: Somebody; user: Somebody }> {
  const [admin, user] = [await adminOf(service), await somebody(service)]
  const { status, text } = await admin.post('/admin/impersonate-user', { userId: user.id })
  if (status !== 200) throw new Error(`Answered ${status}: ${text}`)
  return { admin, user }
}
