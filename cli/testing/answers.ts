import type { IncomingMessage, ServerResponse } from 'node:http'
import { startFakeServer } from './fake-server.ts'

export interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** One request as the service saw it. */
export interface Seen {
  readonly call: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
}

export type Answers = Record<string, Reply | ((seen: Seen) => Reply)>

/** A real HTTP server that answers calls (`POST /sign-out`) from a table; what is not in it is 404 without a body. */
export async function startAnswers(answers: Answers) {
  const seen: Seen[] = []
  const service = await startFakeServer((request, response) => {
    void read(request).then((one) => {
      seen.push(one)
      const found = answers[one.call]
      send(response, typeof found === 'function' ? found(one) : (found ?? { status: 404 }))
    })
  })
  return { ...service, seen, calls: () => seen.map(({ call }) => call), forget: () => void seen.splice(0), answers }
}

export type AnsweringService = Awaited<ReturnType<typeof startAnswers>>

async function read(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '', 'http://localhost')
  return {
    call: `${request.method} ${url.pathname.replace(/^\/api\/auth/, '')}`,
    query: Object.fromEntries(url.searchParams),
    body: text === '' ? null : JSON.parse(text),
    headers: request.headers,
  }
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: Reply): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[])
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

const at = '2026-01-02T03:04:05.000Z'

export const user = {
  id: 'u1',
  email: 'alice@example.com',
  name: 'Alice',
  image: null,
  emailVerified: false,
  language: null,
  createdAt: at,
  updatedAt: at,
}

export const fullUser = { ...user, role: 'user', banned: null, banReason: null, banExpires: null }

export const session = {
  id: 's1',
  userId: 'u1',
  token: 'raw-token-of-s1',
  expiresAt: '2026-01-09T03:04:05.000Z',
  createdAt: at,
  updatedAt: at,
  ipAddress: '127.0.0.1',
  userAgent: 'postern/0.1.0 (linux)',
  label: 'laptop',
  activeOrganizationId: null,
  activeTeamId: null,
  impersonatedBy: null,
}

const otherSession = { ...session, id: 's2', token: 's2', userAgent: 'Firefox', label: null }

export const sessionCookie = (value = 'token.signature') => ({
  'set-cookie': [`postern.session_token=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800`],
})

/** Alice with the address that was asked for. */
const userAt = ({ body }: Seen) => ({ ...user, email: String(Object(body).email) })

/** Alice signs up, in and out; knows two sessions. */
export const usual = (): Answers => ({
  'POST /sign-up/email': (seen) => ({ body: { token: 'raw', user: userAt(seen) }, headers: sessionCookie() }),
  'POST /sign-in/email': (seen) => ({
    body: { redirect: false, token: 'raw', user: userAt(seen) },
    headers: sessionCookie(),
  }),
  'POST /sign-out': {
    body: { success: true },
    headers: { 'set-cookie': ['postern.session_token=; Path=/; Max-Age=0'] },
  },
  'GET /get-session': { body: { session, user: fullUser } },
  'GET /list-sessions': { body: [session, otherSession] },
  'POST /revoke-session': { body: { status: true } },
  'POST /revoke-sessions': { body: { status: true } },
  'POST /revoke-other-sessions': { body: { status: true } },
  'POST /update-user': { body: { status: true } },
  'GET /organization/list': { body: [] },
  'GET /ok': { body: { ok: true } },
})
