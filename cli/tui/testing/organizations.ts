import { userOf } from '../../../server/testing/mailed.ts'
import { admit, done, serverHeaders } from '../../../server/testing/organizations.ts'
import type { TestService } from '../../../server/testing/service.ts'

/**
 * Creates an organization with members by role, and returns its id. The first member creates it and is the owner. The
 * others join in order.
 */
export async function organization(service: TestService, name: string, roles: Readonly<Record<string, string>>) {
  const [founder = '', ...others] = Object.keys(roles)
  const { id: userId } = await userOf(service, founder)
  const fields = { name, slug: name.toLowerCase(), userId }
  const { id } = await done(service.visitor().post('/organization/create', fields, serverHeaders))
  for (const email of others) await admit(service, email, { organizationId: id, role: roles[email] })
  return id as string
}
