import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { contract } from '../../../shared/contract/index.ts'
import { ticketsOf } from '../../accounts/ticket-store.ts'
import { type ApiAnswer, type ApiRequest, createClient } from '../../client/client.ts'
import type { SeenRequest } from '../../client/connect.ts'
import type { StoredAccount, TuiConnection, TuiPorts } from '../ports.ts'
import { good, refuse } from './answers.ts'
import { answerLinks } from './fake-links.ts'
import { answerMailed, mailTo } from './fake-mail.ts'
import { answerOrganization } from './fake-organizations.ts'
import type { FakeLink, FakeMail, FakeOrganization, FakePerson, FakeSession, FakeWorld } from './fake-world.ts'
import { noBrowser } from './no-browser.ts'

/** A service of one process for screen tests: people, sessions, and jars that hold a token by e-mail. */
export class FakeService implements FakeWorld {
  readonly people = new Map<string, FakePerson>()
  sessions: FakeSession[] = []
  readonly jars = new Map<string, string>()
  current: string | undefined
  readonly origin = 'http://localhost:4100'
  isDown = false
  /** Sign-in only with a verified address. */
  isStrict = false
  /** Deletes by a mailed link only. */
  deletesByMail = false
  /** Deletes nobody at all. */
  deletesNobody = false
  /** What was mailed, oldest first. */
  readonly mails: FakeMail[] = []
  readonly organizations: FakeOrganization[] = []
  readonly links: FakeLink[] = []
  linking: FakeLink | undefined
  isLinkMade: boolean | undefined
  invitesVerified = false
  hasTeams = true
  readonly asked: string[] = []
  /** Set to answer this instead, once. */
  next: ApiAnswer | undefined
  #count = 0

  addPerson(email: string, name = 'Ada Lovelace', password = 'correct horse'): void {
    this.people.set(email, { name, password, image: null, isVerified: false })
  }

  addSession(email: string, userAgent: string): FakeSession {
    this.#count += 1
    const row = { id: `s${this.#count}`, token: `token-${this.#count}`, email, userAgent }
    this.sessions.push(row)
    return row
  }

  signIn(email: string, userAgent = 'postern/0.1.0 linux'): void {
    if (!this.people.has(email)) this.addPerson(email)
    this.jars.set(email, this.addSession(email, userAgent).token)
    this.current = email
  }

  connection(jar: { email?: string; token?: string }): TuiConnection {
    const listeners = new Set<(request: SeenRequest) => void>()
    const send = async (asked: ApiRequest): Promise<ApiAnswer> => {
      const request = asked.body ? { ...asked, body: JSON.parse(JSON.stringify(asked.body)) } : asked
      this.asked.push(`${request.method} ${request.path}`)
      await new Promise((resolve) => setTimeout(resolve, 1))
      const answer = this.isDown ? undefined : this.#answer(request, jar)
      const { method, path, body } = request
      for (const tell of listeners) {
        tell({ method, path, body, status: answer?.status, milliseconds: 1.5, requestId: 'req-1' })
      }
      if (!answer)
        throw Object.assign(new Error('Nobody answers at localhost:4100'), {
          hint: 'Is the service running?',
          exitCode: 10,
        })
      return answer
    }
    return {
      server: `${this.origin}/api/auth`,
      speaksByToken: () => jar.token !== undefined,
      api: createClient(contract, send),
      onRequest: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  }

  #answer(request: ApiRequest, jar: { email?: string; token?: string }): ApiAnswer {
    if (this.next) {
      const answer = this.next
      this.next = undefined
      return answer
    }
    const token = jar.token ?? this.jars.get(jar.email ?? '')
    const session = this.sessions.find((row) => row.token === token)
    const body = Object(request.body) as Record<string, string>
    switch (request.path) {
      case '/ok':
        return good({ ok: true })
      case '/get-session':
        return good(session ? { session: this.#view(session, session), user: this.user(session.email) } : null)
      case '/sign-up/email':
        return this.#signUp(body)
      case '/sign-in/email':
        return this.#signIn(body)
    }
    return answerMailed(this, request, session) ?? this.#answerSigned(request, body, session)
  }

  #answerSigned(request: ApiRequest, body: Record<string, string>, session: FakeSession | undefined): ApiAnswer {
    if (!session) return { status: 401, headers: {}, body: null }
    const isAboutOne = request.path.startsWith('/organization/')
    if (isAboutOne) return answerOrganization(this, request, session)
    return answerLinks(this, request, session) ?? this.#answerOwn(request, body, session)
  }

  #answerOwn({ path }: ApiRequest, body: Record<string, string>, session: FakeSession): ApiAnswer {
    switch (path) {
      case '/list-sessions':
        return good(this.sessions.filter(({ email }) => email === session.email).map((row) => this.#view(row, session)))
      case '/revoke-session':
        return this.#revoke(body['token'] ?? '', session)
      case '/revoke-other-sessions':
        this.sessions = this.sessions.filter(({ id, email }) => id === session.id || email !== session.email)
        return good({ status: true })
      case '/revoke-sessions':
        this.sessions = this.sessions.filter(({ email }) => email !== session.email)
        return good({ status: true })
      case '/sign-out':
        this.sessions = this.sessions.filter(({ id }) => id !== session.id)
        return good({ success: true })
      case '/update-user':
        Object.assign(this.people.get(session.email) ?? {}, body)
        return good({ status: true })
      default:
        return { status: 404, headers: {}, body: null }
    }
  }

  #signUp({ email = '', name = '', password = '' }: Record<string, string>): ApiAnswer {
    if (this.people.has(email)) return refuse(422, 'USER_ALREADY_EXISTS', 'User already exists')
    this.addPerson(email, name, password)
    mailTo(this, 'verify', email)
    if (this.isStrict) return good({ token: null, user: this.user(email) })
    this.signIn(email)
    return good({ token: this.jars.get(email), user: this.user(email) })
  }

  #signIn({ email = '', password }: Record<string, string>): ApiAnswer {
    if (this.people.get(email)?.password !== password) {
      return refuse(401, 'INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password')
    }
    if (this.isStrict && !this.people.get(email)?.isVerified) {
      mailTo(this, 'verify', email)
      return refuse(403, 'EMAIL_NOT_VERIFIED', 'Email not verified')
    }
    this.signIn(email)
    return good({ redirect: false, token: this.jars.get(email), user: this.user(email) })
  }

  #revoke(token: string, session: FakeSession): ApiAnswer {
    const row = this.sessions.find((one) => one.token === token || one.id === token)
    if (!row || row.email !== session.email) return refuse(400, 'SESSION_NOT_FOUND', 'Session not found')
    this.sessions = this.sessions.filter((one) => one !== row)
    return good({ status: true })
  }

  #view(row: FakeSession, own: FakeSession) {
    const now = Date.now()
    return {
      id: row.id,
      userId: `u-${row.email}`,
      token: row.id === own.id ? row.token : row.id,
      createdAt: new Date(now - 120_000).toISOString(),
      updatedAt: new Date(now - 60_000).toISOString(),
      expiresAt: new Date(now + 7 * 86_400_000 + 5000).toISOString(),
      ipAddress: '127.0.0.1',
      userAgent: row.userAgent,
      activeOrganizationId: row.activeOrganizationId ?? null,
      impersonatedBy: null,
    }
  }

  user(email: string) {
    const { name = '', image = null, isVerified = false } = this.people.get(email) ?? {}
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const platform = { role: null, banned: null, banReason: null, banExpires: null }
    return {
      id: `u-${email}`,
      email,
      name,
      image,
      emailVerified: isVerified,
      createdAt: at,
      updatedAt: at,
      ...platform,
    }
  }
}

type Streams = Pick<TuiPorts, 'stdin' | 'stdout'>

/** The ports of a fake service. */
export function fakePorts(service: FakeService, streams: Streams, isAccessible = false): TuiPorts {
  const accountOf = (email: string): StoredAccount => ({
    origin: service.origin,
    email,
    isCurrent: service.current === email,
  })
  return {
    ...streams,
    server: `${service.origin}/api/auth`,
    environment: { isAccessible, hasColour: true },
    tickets: ticketsOf(temporaryFolder('tui-tickets'), Date.now),
    browser: noBrowser,
    accounts: async () => [...service.jars.keys()].map(accountOf),
    clientFor: async (_server, email) => service.connection({ email }),
    clientForToken: async (_server, token) => service.connection({ token }),
    clientForNobody: async () => service.connection({}),
    switchAccount: async (_server, email) => {
      service.current = email
    },
    adoptToken: async (_server, email, token) => {
      service.jars.set(email, token)
    },
    forget: async ({ email }) => {
      service.jars.delete(email)
      if (service.current === email) service.current = undefined
    },
    remove: async ({ email }) => {
      service.jars.delete(email)
      if (service.current === email) service.current = undefined
    },
    rename: async ({ email }, to) => {
      service.jars.set(to, service.jars.get(email) ?? '')
      service.jars.delete(email)
      if (service.current === email) service.current = to
    },
    close: () => {},
  }
}
