import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { testCertificate as cert, testKey as key } from '../testing/certificate.ts'
import { type MailServer, type MailServerOptions, startMailServer } from '../testing/smtp.ts'
import type { MailTransport, SendFailure } from './mail-transport.ts'
import type { Mail } from './message.ts'
import { createSmtp, type SmtpOptions } from './smtp.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const mail: Mail = {
  id: '0190c0de-0000-7000-8000-000000000001',
  kind: 'verify-email',
  to: 'ann@example.com',
  subject: 'Verify your email address',
  text: 'Hello Ann,\n.\n..\n',
  html: '<p>Hello</p>',
  url: null,
  token: null,
  invitationId: null,
}
const quick = { connect: 1000, greeting: 1000, socket: 500, whole: 2000 }
const patient = { connect: 60_000, greeting: 60_000, socket: 60_000, whole: 60_000 }
/** Soon given up, though not before a busy machine has got as far as the message. */
const stalled = { ...patient, socket: 5000 }

async function serve(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options)
  closing.push(() => server.stop())
  return server
}

function transportTo(url: string, options: Partial<SmtpOptions> = {}): MailTransport {
  const transport = createSmtp({ url, from: 'Postern <no-reply@mail.example.com>', ...options })
  closing.push(() => transport.close())
  return transport
}

const failureOf = (sending: Promise<void>): Promise<SendFailure> =>
  sending.then(
    () => Promise.reject(new Error('It was sent')),
    (error: SendFailure) => error,
  )

describe('a mail over SMTP', () => {
  it('arrives with both bodies, the same Message-ID at every try, and as a machine’s', async () => {
    const server = await serve()
    const transport = transportTo(server.url)
    await transport.send(mail)
    await transport.send(mail)
    expect(server.mails).toHaveLength(2)
    for (const { from, to, headers, raw } of server.mails) {
      expect([from, to]).toEqual(['no-reply@mail.example.com', ['ann@example.com']])
      expect(headers).toMatchObject({
        from: 'Postern <no-reply@mail.example.com>',
        to: 'ann@example.com',
        subject: mail.subject,
        'message-id': `<${mail.id}@mail.example.com>`,
        'auto-submitted': 'auto-generated',
      })
      expect(raw).toContain('Hello Ann,\r\n.\r\n..')
      expect(raw).toContain('<p>Hello</p>')
    }
  })

  it.each([
    'ann@example.com, eve@evil.example',
    '"eve@evil.example" <ann@example.com>',
    'ann@example.com\r\nBcc: eve@evil.example',
    'eve@evil.example\u0000@example.com',
  ])('to %j never goes to eve', async (to) => {
    const server = await serve()
    expect((await failureOf(transportTo(server.url).send({ ...mail, to }))).message).toBe('SMTP: 501 EENVELOPE RCPT TO')
    expect(server.mails).toEqual([])
  })

  it('has plain ASCII headers, also from an address with an international domain', async () => {
    const server = await serve()
    await transportTo(server.url, { from: 'Exämple <no-reply@bücher.example>' }).send(mail)
    expect(server.mails[0]?.headers['message-id']).toBe(`<${mail.id}@xn--bcher-kva.example>`)
  })

  it('grows no header out of a subject', async () => {
    const server = await serve()
    await transportTo(server.url).send({ ...mail, subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\nbody' })
    expect(server.mails[0]?.to).toEqual(['ann@example.com'])
    expect(Object.keys(server.mails[0]?.headers ?? {})).not.toContain('bcc')
  })
})

describe('a way that is protected', () => {
  it('is taken by STARTTLS when it is offered, and carries the password', async () => {
    const server = await serve({ tls: { key, cert }, auth: { user: 'ann@x', password: 'p:/@ß' } })
    await transportTo(server.url, { tls: { ca: cert } }).send(mail)
    expect(server.mails[0]).toMatchObject({ isSecure: true, user: 'ann@x' })
  })

  it('is taken from the start by smtps', async () => {
    const server = await serve({ tls: { key, cert, fromStart: true } })
    await transportTo(server.url, { tls: { ca: cert } }).send(mail)
    expect(server.mails[0]?.isSecure).toBe(true)
  })

  it.each([false, true])(
    'is refused when nobody vouches for the server (TLS from the start: %s)',
    async (fromStart) => {
      const server = await serve({ tls: { key, cert, fromStart } })
      const { isPermanent, message } = await failureOf(transportTo(server.url).send(mail))
      expect([isPermanent, message]).toEqual([
        false,
        expect.stringMatching(/^SMTP: ESOCKET CONN: .*self[- ]signed cert/),
      ])
      expect(server.mails).toEqual([])
    },
  )

  it('is insisted on before a password goes to another machine', async () => {
    const server = await serve({ auth: { user: 'ann', password: 'p' } })
    // A name of this machine that is not a loopback name.
    const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0')
    expect((await failureOf(transportTo(elsewhere).send(mail))).message).toBe('SMTP: 500 ETLS STARTTLS')
    await transportTo(server.url).send(mail)
    expect(server.mails.map(({ user }) => user)).toEqual(['ann'])
  })
})

describe('a failure', () => {
  it.each([
    ['421', false, 'SMTP: 421'],
    ['550', true, 'SMTP: 550 EENVELOPE RCPT TO'],
    ['554', false, 'SMTP: 554 EENVELOPE RCPT TO'],
    ['550 5.7.1', false, 'SMTP: 550 EENVELOPE RCPT TO'],
    ['554 5.1.1', true, 'SMTP: 554 EENVELOPE RCPT TO'],
    ['554-after-data', true, 'SMTP: 554 EMESSAGE DATA'],
    ['stall', false, 'SMTP: ETIMEDOUT CONN: Timeout'],
    ['drop-after-taking', false, 'SMTP: ECONNECTION'],
  ] as const)('by a server’s %s is for good: %s', async (behaviour, isPermanent, message) => {
    const server = await serve()
    const transport = transportTo(server.url, behaviour === 'stall' ? { deadlines: stalled } : {})
    server.behaviour = behaviour
    const failure = await failureOf(transport.send({ ...mail, text: 'x'.repeat(300_000) }))
    expect([failure.isPermanent, failure.message]).toEqual([isPermanent, expect.stringContaining(message)])
    expect(server.tries).toBe(1)
    server.behaviour = 'accept'
    await transport.send(mail)
    expect(server.mails.at(-1)?.headers.subject).toBe(mail.subject)
  })

  it('by a wrong password may pass', async () => {
    const server = await serve({ auth: { user: 'ann', password: 'right' } })
    const failure = await failureOf(transportTo(server.url.replace('right', 'wrong')).send(mail))
    expect([failure.isPermanent, failure.message]).toEqual([false, 'SMTP: 535 EAUTH AUTH PLAIN'])
  })

  it('by a server that nobody can sign in to may pass, and no mail goes without signing in', async () => {
    const server = await serve({ withoutAuth: true })
    const failure = await failureOf(transportTo(server.url.replace('//', '//ann:secret@')).send(mail))
    expect([failure.isPermanent, failure.message]).toEqual([
      false,
      expect.stringMatching(/^SMTP: 5\d\d EAUTH AUTH PLAIN$/),
    ])
    expect(server.mails).toEqual([])
  })

  it('by a server that speaks no TLS from the start may pass, and says what to change', async () => {
    const { url } = await serve()
    const failure = await failureOf(transportTo(url.replace('smtp:', 'smtps:')).send(mail))
    expect([failure.isPermanent, failure.message]).toEqual([
      false,
      'SMTP: ESOCKET CONN: the server speaks no TLS from the start: SMTP_URL has to begin with smtp://',
    ])
  })

  it('by a server that expects TLS from the start may pass, and says what is missing', async () => {
    const { url } = await serve({ tls: { key, cert, fromStart: true } })
    const deadlines = { ...stalled, greeting: 200 }
    const failure = await failureOf(transportTo(url.replace('smtps:', 'smtp:'), { deadlines }).send(mail))
    expect(failure.message).toBe('SMTP: ETIMEDOUT CONN: Greeting never received')
  })

  it('by a name that is not found may pass, and says so', async () => {
    const failure = await failureOf(transportTo('smtp://mail.invalid').send(mail))
    expect(failure.isPermanent).toBe(false)
    expect(failure.message).toMatch(/^SMTP: EDNS CONN: getaddrinfo E\w+ mail\.invalid$/)
  })

  it('by nobody listening may pass', async () => {
    const server = await serve()
    await server.stop()
    expect((await failureOf(transportTo(server.url).send(mail))).isPermanent).toBe(false)
  })

  it.each([
    ['says nothing', () => undefined],
    ['drips a greeting that never ends', drip],
  ] as const)('by a server that %s comes in bounded time, and says so', async (_name, talk) => {
    const server = createServer((socket) => talk(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
    closing.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const failure = await failureOf(transportTo(`smtp://127.0.0.1:${port}`, { deadlines: quick }).send(mail))
    expect([failure.isPermanent, failure.message]).toEqual([false, expect.stringMatching(/^SMTP: ETIMEDOUT CONN: \w+/)])
  })
})

function drip(socket: NodeJS.WritableStream): void {
  const timer = setInterval(() => socket.write('2'), 50)
  socket.once('close', () => clearInterval(timer))
}

describe('a connection', () => {
  it('that the server drops after its 250 harms neither that mail nor the next', async () => {
    const server = await serve()
    server.behaviour = 'drop-after-250'
    const transport = transportTo(server.url)
    await transport.send(mail)
    await expect
      .poll(() =>
        transport.send({ ...mail, id: 'second' }).then(
          () => 'sent',
          () => 'not yet',
        ),
      )
      .toBe('sent')
    expect(server.mails.filter(({ headers }) => headers['message-id']?.includes(mail.id))).toHaveLength(1)
  })

  it('that is stalled ends when the transport is closed', async () => {
    const server = await serve()
    server.behaviour = 'stall'
    const transport = transportTo(server.url, { deadlines: patient })
    const failure = failureOf(transport.send({ ...mail, text: 'x'.repeat(300_000) }))
    await expect.poll(() => server.tries).toBe(1)
    transport.close()
    expect((await failure).isPermanent).toBe(false)
  })
})
