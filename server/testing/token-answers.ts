import type { TestService } from './service.ts'
import { personWithRole } from './tokens.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call about tokens for other services, with everything in it that it can have. */
export const tokenAnswers = (service: () => TestService): Record<string, () => Promise<Reply>> => ({
  getToken: async () => (await service().person()).get('/token'),
  getKeys: () => service().visitor().get('/jwks'),
  rotateKeys: async () => {
    const admin = await personWithRole(service(), 'admin')
    const reply = await admin.post('/admin/rotate-keys', { revoke: true })
    // Other tests ask of all who are left that nobody has become an administrator.
    await service().deps.sql`update users set roles = '{user}' where email = ${admin.email}`
    return reply
  },
})
