import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Extensions } from '../settings/extensions.ts'
import { longestSend, type MailTransport } from './mail-transport.ts'
import { withTimeout } from './with-timeout.ts'

/**
 * The configured way to send mails: `sendMail` of the config file, SMTP, or the development log, which prints the
 * links. Null in production with neither of the first two. Connects with the first mail.
 *
 * @example
 * const transport = await createMailTransport(config, log)
 * if (!transport) log.warn('no mail transport is configured')
 */
export async function createMailTransport(config: Config, log: Logger): Promise<MailTransport | null> {
  const { SMTP_URL, MAIL_FROM, NODE_ENV, extensions } = config
  if (extensions.sendMail) return functionTransport(extensions.sendMail)
  if (SMTP_URL && MAIL_FROM) {
    const { createSmtp } = await import('./smtp.ts')
    return createSmtp({ url: SMTP_URL, from: MAIL_FROM })
  }
  return NODE_ENV === 'production' ? null : logTransport(log)
}

const functionTransport = (sendMail: NonNullable<Extensions['sendMail']>): MailTransport => ({
  keeps: false,
  close: () => undefined,
  send: async ({ id, to, subject, text, html }) => {
    await withTimeout(longestSend, 'sendMail', async () => sendMail({ id, to, subject, text, html }))
  },
})

/** For development only: it prints links, which are secrets. */
const logTransport = (log: Logger): MailTransport => ({
  keeps: true,
  close: () => undefined,
  send: async ({ kind, to, url }) => log.info({ kind, to, link: url }, 'mail'),
})
