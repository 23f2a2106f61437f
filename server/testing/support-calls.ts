import type { FailureName } from '../../shared/errors.ts'
import { adminOf, somebody } from './admins.ts'
import { organizationKey } from './machines.ts'
import { userOf } from './mailed.ts'
import { done, found } from './organizations.ts'
import { leaveLink } from './outbox.ts'
import type { TestService } from './service.ts'
import type { Reply } from './visitor.ts'
import { webhookOf } from './webhook-calls.ts'

/** Holds everything that waits, as in a copy of the database. */
export const holdMails = ({ deps: { sql } }: Pick<TestService, 'deps'>) => sql`
  update outbox set parked_at = now(), held_at = now(), last_error = 'Held' where parked_at is null
`

/** Uses up the tries of strangers at an account. */
export async function lockOut(service: TestService, email: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1)
    await service.visitor().post('/sign-in/email', { email, password: 'wrong horse battery staple' })
}

/** Somebody of whom everything is kept that can be. */
export async function everything(service: TestService) {
  const acme = await found(service)
  const { email } = acme.owner
  const { id } = await userOf(service, email)
  const other = await found(service)
  await other.invite(email)
  await acme.invite('guest@example.com')
  await done(acme.owner.post('/key/create', { name: 'deploy' }))
  await organizationKey(acme, { name: 'pipeline' })
  await service.deps.sql`
    insert into imported_two_factors (id, user_id, secret) values (${id}, ${id}, 'encrypted')
  `
  await service.visitor().post('/forget-password', { email })
  await webhookOf(acme)
  const { body } = await service.visitor().post('/device/code', { client_id: 'a-terminal' })
  await acme.owner.get(`/device?user_code=${body.user_code}`)
  await done(acme.owner.post('/device/approve', { userCode: body.user_code }))
  return Object.assign(acme.owner, { id, email })
}

/** One answer of each call that supports people, with everything in it that it can have. */
export function supportAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  return {
    exportAccount: async () => (await everything(service())).post('/export-account'),
    exportUser: async () => {
      const { id: userId } = await everything(service())
      return (await adminOf(service())).post('/admin/export-user', { userId })
    },
    viewUser: async () => {
      const [admin, ann] = [await adminOf(service()), await somebody(service())]
      await ann.post('/key/create', { name: 'deploy' })
      await service().visitor().post('/forget-password', { email: ann.email })
      return admin.get(`/admin/view-user?userId=${ann.id}`)
    },
    unlockUser: async () => {
      const [admin, ann] = [await adminOf(service()), await somebody(service())]
      const { sql, keys } = service().deps
      const key = keys.limit.sign(`account:${ann.email}`)
      await sql`insert into rate_limits (key, count, expires_at) values (${key}, 10, now() + interval '1 h')`
      return admin.post('/admin/unlock-user', { userId: ann.id })
    },
    listMails: async () => {
      await leaveLink(service())
      return (await adminOf(service())).get('/admin/list-mails?limit=1')
    },
    resendMail: async () => {
      const mailId = await leaveLink(service())
      await service().deps.sql`update outbox set parked_at = now() where id = ${mailId}`
      return (await adminOf(service())).post('/admin/resend-mail', { mailId })
    },
    releaseMails: async () => {
      await leaveLink(service())
      await holdMails(service())
      return (await adminOf(service())).post('/admin/release-mails', {})
    },
  }
}

/** How each failure of these calls is reached. */
export function supportWays(
  service: () => TestService,
): Record<string, Partial<Record<FailureName, () => Promise<Reply>>>> {
  const asUser = async (name: string, body: object = {}) => (await somebody(service())).post(`/admin/${name}`, body)
  const asAdmin = async (name: string, body: object = {}) => (await adminOf(service())).post(`/admin/${name}`, body)
  const unknown = { userId: 'nobody' }
  return {
    exportUser: {
      USER_EXPORT_FORBIDDEN: () => asUser('export-user', unknown),
      NO_SUCH_USER: () => asAdmin('export-user', unknown),
    },
    viewUser: {
      USER_VIEW_FORBIDDEN: async () => (await somebody(service())).get('/admin/view-user?userId=nobody'),
      NO_SUCH_USER: async () => (await adminOf(service())).get('/admin/view-user?userId=nobody'),
    },
    unlockUser: {
      USER_UNLOCK_FORBIDDEN: () => asUser('unlock-user', unknown),
      NO_SUCH_USER: () => asAdmin('unlock-user', unknown),
    },
    listMails: { MAIL_LIST_FORBIDDEN: async () => (await somebody(service())).get('/admin/list-mails') },
    resendMail: {
      MAIL_RESEND_FORBIDDEN: () => asUser('resend-mail', { mailId: 'nothing' }),
      MAIL_NOT_FOUND: () => asAdmin('resend-mail', { mailId: 'nothing' }),
      MAIL_HELD: async () => {
        const mailId = await leaveLink(service())
        await holdMails(service())
        return asAdmin('resend-mail', { mailId })
      },
    },
    releaseMails: { MAIL_RELEASE_FORBIDDEN: () => asUser('release-mails') },
  }
}
