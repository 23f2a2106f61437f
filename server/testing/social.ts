import { randomUUID } from 'node:crypto'
import type { OpenIdProvider, Person } from './openid-provider.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** Somebody with a verified address at the provider. */
export const personAt = (fields: Partial<Person> = {}): Person => {
  const sub = randomUUID()
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann', ...fields }
}

/** What the provider leads back to, as a path of ours. */
export const callbackOf = (url: URL): string => `/callback/${url.pathname.split('/').at(-1)}${url.search}`

/** Begins a sign-in, visits the provider, and comes back: the answer of the callback. */
export async function signInAt(
  provider: OpenIdProvider,
  visitor: Visitor,
  person: Person,
  body: Record<string, unknown> = {},
): Promise<Reply> {
  const begun = await visitor.post('/sign-in/social', { provider: 'google', callbackURL: '/home', ...body })
  if (begun.status !== 200) throw new Error(`sign-in/social answered ${begun.status}: ${begun.text}`)
  return visitor.get(callbackOf(await provider.visit(begun.body.url, person)))
}

/** The same for a link of the signed-in visitor. */
export async function linkAt(
  provider: OpenIdProvider,
  visitor: Visitor,
  person: Person,
  body: Record<string, unknown> = {},
): Promise<Reply> {
  const begun = await visitor.post('/link-social', { provider: 'google', callbackURL: '/linked', ...body })
  if (begun.status !== 200) throw new Error(`link-social answered ${begun.status}: ${begun.text}`)
  return visitor.get(callbackOf(await provider.visit(begun.body.url, person)))
}

export const locationOf = ({ headers }: Reply): string => headers.get('location') ?? ''

/** While a table keeps nothing: the statement runs, and no row comes of it. */
export async function whileNothingIsKept<T>(
  { deps: { sql } }: TestService,
  table: string,
  act: () => Promise<T>,
): Promise<T> {
  await sql`create or replace function keep_nothing() returns trigger language plpgsql as 'begin return null; end'`
  await sql`create trigger nothing before insert on ${sql(table)} for each row execute function keep_nothing()`
  try {
    return await act()
  } finally {
    await sql`drop trigger nothing on ${sql(table)}`
  }
}

/** Somebody with a password and an account at the provider. */
export async function linkedPerson(service: TestService, provider: OpenIdProvider) {
  const visitor = await service.person()
  const reply = await linkAt(provider, visitor, personAt({ email: visitor.email }))
  if (locationOf(reply) !== '/linked') throw new Error(`The link ended at ${locationOf(reply)}`)
  return visitor
}

/** An id token for somebody new, unless claims say otherwise. */
export const idTokenOf = (provider: OpenIdProvider, claims: Record<string, unknown> = {}): Promise<string> => {
  const { email, email_verified, name } = personAt()
  return provider.sign({ email, email_verified, name, ...claims })
}
