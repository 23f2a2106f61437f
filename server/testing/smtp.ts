import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from './ports.ts'

/** How the next mails fare. */
type SmtpBehaviour =
  | 'accept'
  /** Answers 421 to the recipient, and leaves. */
  | '421'
  /** Refuses the recipient for good. */
  | '550'
  /** Refuses to relay for us, without an enhanced code and with one, or the mailbox with one. */
  | '554'
  | '550 5.7.1'
  | '554 5.1.1'
  /** Refuses the whole mail for good, after DATA. */
  | '554-after-data'
  /** Reads a little of the mail, then neither reads nor says anything. */
  | 'stall'
  /** Takes the mail, and never says so. */
  | 'silent-after-taking'
  /** Takes the mail, and breaks the connection in place of the answer. */
  | 'drop-after-taking'
  /** Takes the mail, answers 250, and breaks the connection at once. */
  | 'drop-after-250'

interface TakenMail {
  /** As it came over the wire. */
  readonly raw: string
  /** By lower-case name, unfolded; the last of each. */
  readonly headers: Readonly<Record<string, string>>
  readonly from: string
  readonly to: readonly string[]
  readonly isSecure: boolean
  /** Who signed in. */
  readonly user: string | undefined
}

export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string
  readonly port: number
  behaviour: SmtpBehaviour
  /** What it took, oldest first. */
  readonly mails: TakenMail[]
  /** How often somebody tried to leave a mail. */
  readonly tries: number
  stop(): Promise<void>
}

export interface MailServerOptions {
  readonly port?: number
  /** Offers STARTTLS with it, or speaks TLS from the first byte. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly fromStart?: boolean }
  /** Insists on it. */
  readonly auth?: { readonly user: string; readonly password: string }
  /** Lets nobody sign in. */
  readonly withoutAuth?: boolean
}

/** A real SMTP server on loopback. Stopping it makes it refuse connections. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mails: TakenMail[] = []
  const state = { behaviour: 'accept' as SmtpBehaviour, tries: 0 }
  const server = new SMTPServer({
    ...optionsOf(options),
    onRcptTo: ({ address }, _session, done) => {
      state.tries += 1
      if (state.behaviour === '421') done(answer(421, 'closing'))
      else if (state.behaviour === '550') done(answer(550, `no such user ${address}`))
      else if (/^55\d( 5|$)/.test(state.behaviour))
        done(answer(Number(state.behaviour.slice(0, 3)), `${state.behaviour.slice(4)} <${address}> refused`.trim()))
      else done()
    },
    onData: (stream, session, done) => {
      if (state.behaviour === 'stall') return void stream.once('data', () => stream.pause())
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.once('end', () => {
        if (state.behaviour === '554-after-data') return done(answer(554, 'no'))
        mails.push(mailOf(Buffer.concat(chunks).toString(), session))
        if (state.behaviour === 'silent-after-taking') return
        if (state.behaviour === 'drop-after-taking') return breakOff(server, session.id)
        done()
        if (state.behaviour === 'drop-after-250') breakOff(server, session.id)
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(options.port ?? (await freePort()), '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: urlOf(port, options),
    port,
    mails,
    get behaviour() {
      return state.behaviour
    },
    set behaviour(next) {
      state.behaviour = next
    },
    get tries() {
      return state.tries
    },
    stop: () => stop(server),
  }
}

const optionsOf = ({ tls, auth, withoutAuth }: MailServerOptions): SMTPServerOptions => ({
  ...(tls ? { key: tls.key, cert: tls.cert, secure: tls.fromStart ?? false } : {}),
  disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(withoutAuth ? ['AUTH'] : [])],
  authOptional: !auth,
  allowInsecureAuth: true,
  closeTimeout: 100,
  disableReverseLookup: true,
  onAuth: ({ username, password }, _session, done) => {
    const isRight = username === auth?.user && password === auth?.password
    done(isRight ? null : answer(535, 'wrong'), isRight ? { user: username } : undefined)
  },
})

const urlOf = (port: number, { tls, auth }: MailServerOptions): string => {
  const who = auth ? `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.password)}@` : ''
  return `${tls?.fromStart ? 'smtps' : 'smtp'}://${who}127.0.0.1:${port}`
}

const answer = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

/** The part of the library's connections that its types leave out. */
interface Connection {
  readonly id: string
  readonly _socket: Socket
}

const connectionsOf = (server: SMTPServer): Iterable<Connection> => server.connections as Set<Connection>

/** Ends a connection without a word more than was written. */
function breakOff(server: SMTPServer, id: string): void {
  for (const connection of connectionsOf(server)) if (connection.id === id) connection._socket.destroySoon()
}

async function stop(server: SMTPServer): Promise<void> {
  for (const { _socket } of connectionsOf(server)) _socket.destroy()
  await new Promise<void>((done) => {
    server.close(done)
  })
}

type Session = Parameters<NonNullable<SMTPServerOptions['onData']>>[1]

const mailOf = (raw: string, { envelope, secure, user }: Session): TakenMail => ({
  raw,
  headers: headersOf(raw),
  from: envelope.mailFrom ? envelope.mailFrom.address : '',
  to: envelope.rcptTo.map(({ address }) => address),
  isSecure: secure,
  user: user as string | undefined,
})

function headersOf(raw: string): Record<string, string> {
  const [head = ''] = raw.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}
