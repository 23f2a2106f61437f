import { userOf } from '../../../server/testing/mailed.ts'
import { admit, done, serverHeaders } from '../../../server/testing/organizations.ts'
import type { TestService } from '../../../server/testing/service.ts'

/**
 * An organization with its members, by role, made by a trusted server; answers its id. The first of them makes it, and is
 * its owner; the others come in their order.
 */
export async function organization(service: TestService, name: string, roles: Readonly<Record<string, string>>) {
  const [founder = '', ...others] = Object.keys(roles)
  const { id: userId } = await userOf(service, founder)
  const fields = { name, slug: name.toLowerCase(), userId }
  const { id } = await done(service.visitor().post('/organization/create', fields, serverHeaders))
  for (const email of others) await admit(service, email, { organizationId: id, role: roles[email] })
  return id as string
}
