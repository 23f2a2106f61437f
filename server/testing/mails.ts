import { listMails } from '../db/outbox.ts'
import { composeMail, type Mail } from '../mail/compose.ts'
import type { TestService } from './service.ts'

/** What waits in the outbox, opened and rendered, oldest first. */
export async function readMails({ deps }: Pick<TestService, 'deps'>): Promise<Mail[]> {
  const { sql, config, keys, now } = deps
  const parts = {
    base: `${config.BASE_URL.origin}${config.BASE_PATH}`,
    keys,
    templates: config.extensions.mailTemplates,
    language: config.DEFAULT_LANGUAGE,
    isByPage: config.VERIFICATION_LINK === 'page',
  }
  const rows = await listMails(sql)
  return Promise.all(rows.map((row) => composeMail(row, { ...parts, now: now() })))
}

/** The newest of them; throws when there is none. */
export async function lastMail(service: Pick<TestService, 'deps'>): Promise<Mail> {
  const mail = (await readMails(service)).at(-1)
  if (!mail) throw new Error('No mail waits in the outbox')
  return mail
}
