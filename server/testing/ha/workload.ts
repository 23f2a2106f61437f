import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { testPassword } from '../service.ts'

/**
 * What a client knows of its write: the service said yes; said that nothing was done (503 with Retry-After); or did not
 * say what became of it.
 */
type Known = 'done' | 'not done' | 'unknown'

const paths = {
  'sign-up': '/sign-up/email',
  organization: '/organization/create',
  invitation: '/organization/invite-member',
  name: '/update-user',
}
export type Kind = keyof typeof paths

/** One write, under a key that no other write of its kind has. */
export interface Write {
  readonly kind: Kind
  readonly key: string
  readonly known: Known
  /** Whose it was, by mail address. */
  readonly by: string
  readonly startedAt: number
  readonly endedAt: number
}

export interface Person {
  readonly email: string
  readonly token: string
}

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly retryAfter: string | null
  readonly requestId: string | null
}

/** Milliseconds. On a machine that runs the whole cluster, people without a rest take what it needs to elect a primary. */
const rest = 50

/** People who write and look at their sessions, and all that they were told. */
export class Workload {
  readonly writes: Write[] = []
  readonly people: Person[] = []
  /** Answers with somebody else's data. */
  readonly wrong: unknown[] = []
  /** Answers that know a session no more. */
  readonly signedOut: unknown[] = []
  /** Answers that nobody should get, whatever breaks. */
  readonly unexpected: unknown[] = []
  /** Answers of the service with status 503, by request id. */
  readonly refusals = new Map<string, { readonly retryAfter: string | null }>()
  /** How many answers had each status; 0 without an answer. */
  readonly statuses = new Map<number, number>()
  readonly #url: string
  #isOver = false
  readonly #workers: Promise<unknown>[]

  constructor(url: string, workers: number) {
    this.#url = `${url}/api/auth`
    this.#workers = Array.from({ length: workers }, () => this.#work())
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
  }

  /** Milliseconds until a write that began after `moment` was acknowledged; null while there is none. */
  writeAfter(moment: number): number | null {
    const after = this.writes.filter(({ known, startedAt }) => known === 'done' && startedAt >= moment)
    return after.length === 0 ? null : Math.min(...after.map(({ endedAt }) => endedAt)) - moment
  }

  /** The session of a person, asked until there is an answer. */
  async sessionOf({ token }: Person): Promise<unknown> {
    for (;;) {
      const { status, body } = await this.#ask('/get-session', token)
      if (status === 200) return body
      await sleep(100)
    }
  }

  /** Requests, and how many of them did not succeed. */
  get counts() {
    const asked = [...this.statuses.values()].reduce((sum, count) => sum + count, 0)
    return { asked, failed: asked - (this.statuses.get(200) ?? 0) }
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const person = await this.#signUp()
      if (person) await this.#act(person)
      else await sleep(50)
    }
  }

  /** What one person does, one thing after the other. */
  async #act(person: Person): Promise<void> {
    const organizationId = await this.#createOrganization(person)
    for (let turn = 0; turn < 8 && !this.#isOver; turn += 1) {
      await this.#look(person)
      if (organizationId) await this.#invite(person, organizationId)
      const name = `name ${randomUUID()}`
      await this.#write('name', name, person, { name })
      await sleep(rest)
    }
  }

  async #signUp(): Promise<Person | null> {
    const email = `${randomUUID()}@example.com`
    const input = { email, name: 'Ann', password: testPassword }
    const body = await this.#write('sign-up', email, { email, token: '' }, input)
    const { token, user } = (body ?? {}) as { token?: string; user?: { email: string } }
    if (!token) return null
    if (user?.email !== email) this.wrong.push({ email, body })
    const person = { email, token }
    this.people.push(person)
    return person
  }

  async #createOrganization(person: Person): Promise<string | undefined> {
    const slug = randomUUID()
    const body = await this.#write('organization', slug, person, { name: 'Acme', slug })
    return (body as { id?: string } | null)?.id
  }

  async #invite(person: Person, organizationId: string): Promise<void> {
    const email = `${randomUUID()}@example.org`
    const input = { email, role: 'member', organizationId }
    await this.#write('invitation', email, person, input)
  }

  async #look(person: Person): Promise<void> {
    const { status, body } = await this.#ask('/get-session', person.token)
    if (status !== 200) return
    const email = (body as { user?: { email: string } } | null)?.user?.email
    if (email === undefined) this.signedOut.push({ person, body })
    else if (email !== person.email) this.wrong.push({ person, body })
  }

  async #write(kind: Kind, key: string, { email: by, token }: Person, input: object): Promise<unknown> {
    const startedAt = performance.now()
    const reply = await this.#ask(paths[kind], token, input)
    this.writes.push({ kind, key, by, known: knownFrom(reply), startedAt, endedAt: performance.now() })
    return reply.status === 200 ? reply.body : null
  }

  async #ask(path: string, token: string, input?: object): Promise<Reply> {
    const reply = await request(`${this.#url}${path}`, token, input)
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1)
    if (reply.status === 200) return reply
    this.#note(path, reply)
    await sleep(50)
    return reply
  }

  #note(path: string, reply: Reply): void {
    const { status, requestId, retryAfter } = reply
    if (status === 401) this.signedOut.push({ path, reply })
    // 502, 503 and 504 without a request id are HAProxy's own.
    else if (status === 503 && requestId) this.refusals.set(requestId, { retryAfter })
    else if (![0, 502, 503, 504].includes(status)) this.unexpected.push({ path, reply })
  }
}

const knownFrom = ({ status, retryAfter }: Reply): Known => {
  if (status === 200) return 'done'
  return status === 503 && retryAfter !== null ? 'not done' : 'unknown'
}

async function request(url: string, token: string, input?: object): Promise<Reply> {
  const init = input ? { method: 'POST', body: JSON.stringify(input) } : {}
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  try {
    const reply = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(30_000) })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    return {
      status: reply.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      retryAfter: reply.headers.get('retry-after'),
      requestId: reply.headers.get('x-request-id'),
    }
  } catch {
    return { status: 0, body: null, retryAfter: null, requestId: null }
  }
}
