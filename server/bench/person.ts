/** A request as wrk sends it. */
export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Where a server answers, whichever it is. */
export interface Server {
  readonly name: string
  readonly origin: string
  /** The address of its database. */
  readonly database: string
}

const password = 'correct horse battery 1'
let people = 0

/** Somebody with a cookie jar, for whichever server speaks the wire. */
export class Person {
  readonly email: string
  readonly #server: Server
  readonly #cookies = new Map<string, string>()

  constructor(server: Server, email = `person-${Date.now().toString(36)}-${people++}@example.com`) {
    this.#server = server
    this.email = email
  }

  request(method: Request['method'], path: string, body?: object): Request {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      origin: this.#server.origin,
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const common = { method, path: `/api/auth${path}`, headers }
    return body === undefined ? common : { ...common, body: JSON.stringify(body) }
  }

  async get(path: string): Promise<unknown> {
    return this.#send(this.request('GET', path))
  }

  async post<Answer = unknown>(path: string, body: object): Promise<Answer> {
    return (await this.#send(this.request('POST', path, body))) as Answer
  }

  async signUp(): Promise<this> {
    await this.post('/sign-up/email', this.signUpFields())
    return this
  }

  /** The same person on another device. */
  async signInElsewhere(): Promise<Person> {
    const elsewhere = new Person(this.#server, this.email)
    await elsewhere.post('/sign-in/email', elsewhere.signInFields())
    return elsewhere
  }

  readonly signUpFields = () => ({ ...this.signInFields(), name: 'Ann' })
  readonly signInFields = () => ({ email: this.email, password })

  has(cookie: string): boolean {
    return Array.from(this.#cookies.keys()).some((name) => name.endsWith(cookie))
  }

  async #send(request: Request): Promise<unknown> {
    const answer = await send(this.#server, request)
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    const text = await answer.text()
    if (!answer.ok)
      throw new Error(`${request.method} ${request.path} answered ${answer.status}: ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /max-age=0(;|$)/i.test(line)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

export const send = ({ origin }: Server, { path, method, headers, body }: Request): Promise<Response> =>
  fetch(`${origin}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })

/** As many as asked for, made two at a time: a password's hash takes a core. */
export async function make<T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  let next = 0
  const worker = async () => {
    for (let n = next++; n < count; n = next++) made[n] = await one(n)
  }
  await Promise.all([worker(), worker()])
  return made
}
