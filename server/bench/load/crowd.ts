import { randomUUID } from 'node:crypto'
import { make } from '../person.ts'
import { type Answer, type Connections, isToldToReturn } from './connections.ts'
import { type Asked, anyNetwork, textOf } from './requests.ts'
import type { Tally } from './tally.ts'

/** Acts of one kind. */
export interface Counted {
  /** Answered with 200. */
  done: number
  /** Without an answer, or without one that says whether. */
  unknown: number
}

export interface Person {
  readonly email: string
  readonly network: string
  token: string
  readonly signIns: Counted
}

const password = 'correct horse battery 1'
const clientId = 'load'

interface SessionBody {
  readonly token?: string
  readonly user?: { readonly email?: string }
}

/** People with accounts, what they ask for, and what they were told. */
export class Crowd {
  readonly tally: Tally
  /** The owner of each organization that was created, by its slug. */
  readonly owners = new Map<string, string>()
  /** Slugs of which nobody knows whether they were taken. */
  readonly unknownSlugs = new Set<string>()
  readonly #connections: Connections

  constructor(connections: Connections, tally: Tally) {
    this.#connections = connections
    this.tally = tally
  }

  /** Two at a time: each costs a hash. */
  people(count: number): Promise<readonly Person[]> {
    return make(count, async () => {
      const email = `${randomUUID()}@example.com`
      const network = anyNetwork()
      const { body, status } = await this.#send({ path: '/sign-up/email', body: { email, password, name: 'Ann' } })
      const { token } = JSON.parse(body) as SessionBody
      if (status !== 200 || token === undefined) throw new Error(`A sign-up was answered ${status}: ${body}`)
      return { email, network, token, signIns: { done: 0, unknown: 0 } }
    })
  }

  /** Looks at a session, and at whose it is. */
  async read({ email, token, network }: Person, kind = 'get-session'): Promise<void> {
    const answer = await this.#ask(kind, { path: '/get-session', token, network })
    if (answer?.status !== 200) return
    if (ownerIn(answer) !== email) this.tally.tellWrong(`${kind} of ${email}: ${answer.body}`)
  }

  async probe(): Promise<void> {
    await this.#ask('ok', { path: '/ok' })
  }

  /** From any network. Told to come back, nobody is signed in. */
  async signIn(person: Person): Promise<boolean> {
    const { email, signIns } = person
    const answer = await this.#ask('sign-in', { path: '/sign-in/email', body: { email, password } })
    if (isUnknown(answer)) signIns.unknown += 1
    if (answer?.status !== 200) return false
    signIns.done += 1
    const { token } = JSON.parse(answer.body) as SessionBody
    if (ownerIn(answer) !== email || token === undefined) this.tally.tellWrong(`sign-in of ${email}: ${answer.body}`)
    else person.token = token
    return true
  }

  async createOrganization({ email, token, network }: Person): Promise<void> {
    const slug = randomUUID()
    const body = { name: 'Acme', slug }
    const answer = await this.#ask('organization/create', { path: '/organization/create', token, network, body })
    if (isUnknown(answer)) this.unknownSlugs.add(slug)
    if (answer?.status !== 200) return
    this.owners.set(slug, email)
    if ((JSON.parse(answer.body) as { slug?: string }).slug !== slug)
      this.tally.tellWrong(`create ${slug}: ${answer.body}`)
  }

  /** A list whose entries are all the person's own. */
  async list(person: Person, kind: 'organization/list' | 'list-activity'): Promise<void> {
    const { token, network } = person
    const path = kind === 'list-activity' ? '/list-activity?limit=20' : '/organization/list'
    const answer = await this.#ask(kind, { path, token, network })
    if (answer?.status !== 200) return
    if (kind === 'organization/list') this.#checkOrganizations(person, answer)
  }

  #checkOrganizations({ email }: Person, { body }: Answer): void {
    const slugs = (JSON.parse(body) as { slug: string }[]).map(({ slug }) => slug)
    // The answer to its creation may come later than the list that has it already.
    const foreign = slugs.filter((slug) => (this.owners.get(slug) ?? email) !== email)
    if (foreign.length > 0) this.tally.tellWrong(`organization/list of ${email} has ${foreign.join()}`)
  }

  /** A device asks for a code, the person approves it, and the device gets a session of that person. */
  async signInDevice(person: Person): Promise<void> {
    const { token, network, signIns } = person
    const begun = await this.#ask('device', { path: '/device/code', body: { client_id: clientId } })
    if (begun?.status !== 200) return
    const { device_code: code, user_code: userCode } = JSON.parse(begun.body) as Record<string, string>
    const viewed = await this.#ask('device', { path: `/device?user_code=${userCode}`, token, network })
    if (viewed?.status !== 200) return
    const approved = await this.#ask('device', { path: '/device/approve', token, network, body: { userCode } })
    if (approved?.status !== 200) return
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code, client_id: clientId }
    const answer = await this.#ask('device', { path: '/device/token', network, body: grant })
    if (isUnknown(answer)) signIns.unknown += 1
    if (answer?.status !== 200) return
    signIns.done += 1
    const { access_token: given } = JSON.parse(answer.body) as { access_token: string }
    // The oldest of many sessions ends. Whoever approves a device for an hour goes on with the newest.
    person.token = given
    await this.read(person, 'get-session of a device')
  }

  /** Undefined without an answer. What is neither served nor refused in time is told. */
  async #ask(kind: string, asked: Asked): Promise<Answer | undefined> {
    const at = performance.now()
    const answer = await this.#send(asked).catch(() => undefined)
    this.tally.note(kind, performance.now() - at, answer)
    const { status = 0, body = '' } = answer ?? {}
    if (![200, 429, 503].includes(status)) this.tally.tellUnexpected(`${asked.path} answered ${status}: ${body}`)
    return answer
  }

  #send(asked: Asked): Promise<Answer> {
    return this.#connections.send(textOf(asked))
  }
}

/** Whoever got no answer does not know whether it was done, and neither does who is not told to come back. */
const isUnknown = (answer: Answer | undefined): boolean =>
  answer === undefined || (answer.status === 503 && !isToldToReturn(answer))

const ownerIn = ({ body }: Answer): string | undefined => (JSON.parse(body) as SessionBody | null)?.user?.email

/** One after the other, and again. */
export function inTurn<T>(all: readonly T[]): () => T {
  let turn = 0
  return () => {
    turn += 1
    return all[turn % all.length]!
  }
}
