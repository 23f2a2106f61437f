import { afterEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { keepMailUnsent } from '../db/outbox.ts'
import { type Dispatcher, startDispatcher } from '../outbox/dispatcher.ts'
import { sweep } from '../process/sweeper.ts'
import type { Extensions } from '../settings/extensions.ts'
import { readMails } from '../testing/mails.ts'
import { leaveLink } from '../testing/outbox.ts'
import { testSecret } from '../testing/settings.ts'
import { startMailServer } from '../testing/smtp.ts'
import { useTestService } from '../testing/use-service.ts'
import { createMailTransport } from './create-mail-transport.ts'
import { SendFailure } from './mail-transport.ts'
import type { Message } from './message.ts'
import { withTimeout } from './with-timeout.ts'

const service = useTestService()
let dispatcher: Dispatcher | undefined
afterEach(async () => {
  await dispatcher?.stop()
  await service.deps.sql`delete from users`
  service.logged.length = 0
})

/** The dispatcher as the service starts it with these settings; undefined when it starts none. */
async function startWith(settings: Record<string, string>, extensions: Extensions = {}): Promise<void> {
  const config = parseConfig({ SECRET: testSecret, ...settings }, extensions)
  const transport = await createMailTransport(config, service.deps.log)
  dispatcher = transport ? startDispatcher({ ...service.deps, config, transport, times: { poll: 3600 } }) : undefined
}

const production = { NODE_ENV: 'production', BASE_URL: 'https://id.example.com' }
const errorOf = async (id: string) =>
  (await service.deps.sql<{ lastError: string }[]>`select last_error from outbox where id = ${id}`)[0]?.lastError
const linksLogged = () => service.logged.filter(({ link }) => link !== undefined)

describe('in development without SMTP', () => {
  it('the log tells the link once, and the mail stays to be read', async () => {
    const id = await leaveLink(service)
    await startWith({ NODE_ENV: 'development' })
    await expect.poll(linksLogged).toHaveLength(1)
    const [mail] = await readMails(service)
    expect(linksLogged()).toMatchObject([{ level: 30, kind: 'reset-password', to: mail?.to, link: mail?.url }])
    dispatcher?.nudge()
    const other = await leaveLink(service)
    dispatcher?.nudge()
    await expect.poll(linksLogged).toHaveLength(2)
    expect((await readMails(service)).map((kept) => kept.id)).toEqual([id, other])
  })

  it('what was read by nobody goes with its link, or after a week', async () => {
    const [expired, old, fresh] = [await leaveLink(service), await leaveLink(service), await leaveLink(service)]
    const { sql } = service.deps
    for (const id of [expired, old, fresh]) await keepMailUnsent(sql, id)
    await sql`update verifications set expires_at = now() where id = ${expired}`
    await sql`update outbox set created_at = now() - interval '6 days 23 hours'`
    await sql`update outbox set created_at = now() - interval '7 days' where id = ${old}`
    await Promise.all([sweep(service.deps), sweep(service.deps)])
    expect((await readMails(service)).map(({ id }) => id)).toEqual([fresh])
  })

  it('a mail that waits to be sent is not swept with the first end of its link', async () => {
    const id = await leaveLink(service)
    await service.deps.sql`update verifications set expires_at = now() - interval '1 hour' where id = ${id}`
    await sweep(service.deps)
    expect((await readMails(service)).map((mail) => mail.id)).toEqual([id])
  })
})

describe('no link is ever logged', () => {
  it('in production, where nothing is sent without a way', async () => {
    await leaveLink(service)
    await startWith(production)
    expect(dispatcher).toBeUndefined()
    expect(await readMails(service)).toHaveLength(1)
  })

  it.each([{ NODE_ENV: 'development' }, production])('with SMTP, in %j', async (settings) => {
    const server = await startMailServer()
    await leaveLink(service)
    await startWith({ ...settings, SMTP_URL: server.url, MAIL_FROM: 'Postern <no-reply@example.com>' })
    await expect.poll(() => readMails(service)).toEqual([])
    expect(server.mails).toHaveLength(1)
    expect(JSON.stringify(service.logged)).not.toMatch(/token-|ann-|link/)
    await server.stop()
  })
})

const fail = (): never => {
  throw new TypeError('to ann@example.com')
}
const broken: readonly (readonly [string, Extensions])[] = [
  ['sender', { sendMail: async () => fail() }],
  ['template', { sendMail: () => undefined, mailTemplates: { 'reset-password': fail } }],
]

describe('functions of the config file', () => {
  it('send in place of SMTP, with our text or that of a template', async () => {
    const sent: Message[] = []
    const sendMail = (message: Message) => void sent.push(message)
    const mailTemplates = { 'reset-password': () => ({ subject: 'Ours', text: 'text', html: 'html' }) }
    const id = await leaveLink(service)
    const [mail] = await readMails(service)
    await startWith({ ...production, SMTP_URL: 'smtp://127.0.0.1:1' }, { sendMail, mailTemplates })
    await expect.poll(() => readMails(service)).toEqual([])
    expect(sent).toEqual([{ id, to: mail?.to, subject: 'Ours', text: 'text', html: 'html' }])
  })

  it.each(broken)('that throw, a %s here, make the mail wait', async (_what, extensions) => {
    const id = await leaveLink(service)
    await startWith({}, extensions)
    await expect.poll(() => errorOf(id)).toBe('TypeError')
    expect(JSON.stringify(service.logged)).not.toContain('ann@')
  })

  it('that return no mail, or nothing in time, are told of in words', async () => {
    const id = await leaveLink(service)
    const mailTemplates = { 'reset-password': () => ({ subject: 'Ours' }) as never }
    await startWith({}, { sendMail: () => undefined, mailTemplates })
    const words = 'The template of reset-password mails must return subject, text and html'
    await expect.poll(() => errorOf(id)).toBe(words)
    expect(service.logged).toContainEqual(expect.objectContaining({ reason: words }))
    const late = withTimeout(1, 'sendMail', () => new Promise(() => undefined))
    await expect(late).rejects.toEqual(new SendFailure('sendMail took longer than 0.001 s', false))
  })
})
