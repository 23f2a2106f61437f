import { listMails } from '../db/outbox.ts'
import { composeMail } from '../mail/compose.ts'
import type { Mail } from '../mail/message.ts'
import type { TestService } from './service.ts'

/** What waits in the outbox, opened and rendered, oldest first. */
export async function readMails({ deps }: Pick<TestService, 'deps'>): Promise<Mail[]> {
  const { sql, config, keys, now } = deps
  const rows = await listMails(sql)
  return Promise.all(rows.map((row) => composeMail(row, { config, keys, now: now() })))
}

/** The newest of them; throws when there is none. */
export async function lastMail(service: Pick<TestService, 'deps'>): Promise<Mail> {
  const mail = (await readMails(service)).at(-1)
  if (!mail) throw new Error('No mail waits in the outbox')
  return mail
}
