import type { ConnectionOptions } from 'node:tls'
import { domainToASCII } from 'node:url'
import { createTransport } from 'nodemailer'
import { isLoopback } from '../../shared/loopback.ts'
import { inChildSpan, type SpanDescription } from '../tracing/spans.ts'
import { longestSend, type MailTransport, SendFailure } from './mail-transport.ts'

/** In milliseconds. */
interface Deadlines {
  readonly connect: number
  readonly greeting: number
  /** Longest time without an answer. */
  readonly socket: number
  /** For one mail, including the wait for a free connection. */
  readonly whole: number
}

export interface SmtpOptions {
  /** `smtp://user:password@host:port`, or smtps. */
  readonly url: string
  /** `no-reply@example.com` or `Example <no-reply@example.com>`. */
  readonly from: string
  readonly deadlines?: Deadlines
  readonly tls?: ConnectionOptions
}

const defaults: Deadlines = { connect: 10_000, greeting: 10_000, socket: 60_000, whole: longestSend }

/**
 * SMTP (RFC 5321) over one connection that is kept open. Uses STARTTLS when the server offers it, and requires it
 * before sending a password to another machine. Certificates are verified.
 */
export function createSmtp({ url, from, deadlines = defaults, tls }: SmtpOptions): MailTransport {
  const sender = senderOf(from)
  const server = serverOf(new URL(url))
  const attributes = { 'server.address': server.host, 'server.port': server.port }
  const describe = (): SpanDescription => ({ name: 'SMTP', kind: 'CLIENT', attributes })
  const pool = createTransport({
    pool: true,
    maxConnections: 1,
    // A message whose connection broke may have arrived, so only the dispatcher tries again.
    maxRequeues: 0,
    ...server,
    connectionTimeout: deadlines.connect,
    greetingTimeout: deadlines.greeting,
    socketTimeout: deadlines.socket,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(tls ? { tls } : {}),
  })
  // A connection that breaks while idle is no failure.
  pool.on('error', () => undefined)
  return {
    keeps: false,
    close: () => pool.close({ force: true }),
    verify: async () => {
      await pool.verify().catch(throwSendFailure)
    },
    send: async ({ id, to, subject, text, html }) => {
      const mail = {
        from: sender,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${hostOf(sender.address)}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(deadlines.whole),
      }
      await inChildSpan(describe, () => pool.sendMail(mail).catch(throwSendFailure))
    },
  }
}

function serverOf({ protocol, hostname, port, username, password }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // Signing in is not skipped where the server does not offer it, since its mails could go nowhere unnoticed.
    ...(auth ? { auth, forceAuth: true, requireTLS: !secure && !isLoopback(hostname) } : {}),
  }
}

/** Splits the two forms of the setting, so that no mailer parses the text. */
function senderOf(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^([^<]*)<([^>]*)>$/.exec(text) ?? []
  return { name: name.trim(), address }
}

/** In ASCII: the mailer encodes an international domain in addresses, and not in a Message-ID. */
function hostOf(address: string): string {
  const host = address.slice(address.lastIndexOf('@') + 1)
  return domainToASCII(host) || host
}

interface SmtpError {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
  /** The server's whole answer. */
  readonly response?: string
  readonly message?: string
}

/** The server's own words are left out, because they often repeat the address. */
function throwSendFailure(error: unknown): never {
  const { code, command, responseCode } = error as SmtpError
  const isAboutMail = command === 'RCPT TO' || command === 'DATA'
  const isRefused = isAboutMail && responseCode !== undefined && responseCode >= 500 && responseCode < 600
  const isPermanent = isRefused && !isAboutSender(error as SmtpError)
  const said = [responseCode, code, command].filter((part) => part !== undefined).join(' ')
  throw new SendFailure(`SMTP: ${said || 'aborted'}${wayOf(error as SmtpError)}`, isPermanent)
}

/**
 * Whether a recipient is refused because of us: a server that relays for nobody, or blocks our address (5.7 in RFC 3463).
 * The operator can mend that, and the mail then goes.
 */
function isAboutSender({ command, responseCode, response = '' }: SmtpError): boolean {
  if (command !== 'RCPT TO') return false
  const subject = /^\d{3}[ -]5\.(\d{1,3})\./.exec(response)?.[1]
  return subject === undefined ? responseCode === 530 || responseCode === 554 : subject === '7'
}

/** What Node.js and the mailer say about the way to the server. */
function wayOf({ code, message = '' }: SmtpError): string {
  if (code !== 'ESOCKET' && code !== 'EDNS' && code !== 'ETIMEDOUT') return ''
  return message.includes('wrong version number')
    ? ': the server speaks no TLS from the start: SMTP_URL has to begin with smtp://'
    : `: ${message}`
}
