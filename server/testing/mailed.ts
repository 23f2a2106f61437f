import type { Environment } from '../config.ts'
import type { Mail } from '../mail/message.ts'
import type { Extensions } from '../settings/extensions.ts'
import { readMails } from './mails.ts'
import { proveAddress } from './prove-address.ts'
import { type TestService, testPassword } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** What waits for an address, oldest first; of one kind if it is named. */
export async function mailsTo(service: Pick<TestService, 'deps'>, email: string, kind?: string): Promise<Mail[]> {
  const mails = await readMails(service)
  return mails.filter((mail) => mail.to === email && (kind === undefined || mail.kind === kind))
}

/** The newest mail of a kind with a link for an address; throws when there is none. */
export async function linkTo(service: Pick<TestService, 'deps'>, email: string, kind: string) {
  const { token, url, ...mail } = (await mailsTo(service, email, kind)).at(-1) ?? { token: null, url: null }
  if (token === null || url === null) throw new Error(`No ${kind} link waits for ${email}`)
  return { ...mail, token, url }
}

/**
 * Follows a mailed link as far as the API's answer to it; where our page would ask first, as whoever has the token may call
 * the API without it.
 */
export function open(service: Pick<TestService, 'deps'>, visitor: Visitor, url: string): Promise<Reply> {
  return visitor.get(pathOf(service, url).replace(/^\/page\/verify-email/, '/verify-email'))
}

/** A mailed link as a path of the API. */
export function pathOf({ deps: { config } }: Pick<TestService, 'deps'>, url: string): string {
  const base = `${config.BASE_URL.origin}${config.BASE_PATH}`
  if (!url.startsWith(`${base}/`)) throw new Error(`A link leads elsewhere: ${url}`)
  return url.slice(base.length)
}

/** Somebody who has just signed up and opened the mailed link; nothing waits for them. */
export async function verifiedPerson(service: TestService, fields?: { email?: string; name?: string }) {
  const person = await service.person(fields)
  const { sql } = service.deps
  await proveAddress(sql, person.email)
  await sql`delete from outbox where user_id = (select id from users where email = ${person.email})`
  return person
}

export interface UserRow {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
}

export async function userOf({ deps: { sql } }: Pick<TestService, 'deps'>, email: string): Promise<UserRow> {
  const [row] = await sql<UserRow[]>`select id, email, email_verified from users where email = ${email}`
  if (!row) throw new Error(`No user has the address ${email}`)
  return row
}

/** Whether a password signs in, from an address of its own. */
export async function canSignIn(service: TestService, email: string, password = testPassword): Promise<boolean> {
  const { status } = await service.visitor().post('/sign-in/email', { email, password })
  return status === 200
}

/** Whether the session of a visitor's cookies still lives. */
export const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.get('/list-sessions', {})).status === 200

/** A sibling with functions such as a config file would give. */
export async function withHooks(service: TestService, hooks: Extensions, settings: Environment = {}) {
  const sibling = await service.sibling(settings)
  Object.assign(sibling.deps.config, { extensions: hooks })
  return sibling
}
