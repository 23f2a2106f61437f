import type * as z from 'zod'
import type { Call, Group } from '../../shared/contract/call.ts'
import { type Contract, contract } from '../../shared/contract/index.ts'
import type { TestService } from './service.ts'

type Inputs = {
  readonly [G in keyof Contract]: { readonly [C in keyof Contract[G]]: Readonly<Record<string, unknown>> }
}

/** An input with every field, right in shape and content. A call that has none here does not compile. */
const inputs: Inputs = {
  account: {
    signUpEmail: {
      email: 'new@example.com',
      password: 'correct horse battery staple',
      name: 'New',
      image: 'https://example.com/new.png',
      callbackURL: '/welcome',
    },
    signInEmail: {
      email: 'nobody@example.com',
      password: 'correct horse battery staple',
      rememberMe: true,
      callbackURL: '/home',
    },
    signOut: {},
    updateUser: { name: 'Other', image: 'https://example.com/other.png', email: '' },
  },
  session: {
    getSession: { disableCookieCache: 'true', disableRefresh: 'true' },
    listSessions: {},
    revokeSession: { token: 'no-such-session' },
    revokeSessions: {},
    revokeOtherSessions: {},
  },
  service: { ok: {}, ready: {}, error: { error: 'no_code' } },
}

export interface KnownCall {
  readonly name: string
  readonly call: Call
  readonly input: Readonly<Record<string, unknown>>
  /** Field → its schema. */
  readonly fields: Readonly<Record<string, z.ZodType>>
}

/** Every call of the contract. */
export const knownCalls: readonly KnownCall[] = Object.entries(contract as Record<string, Group>).flatMap(
  ([noun, group]) =>
    Object.entries(group).map(([name, call]) => ({
      name,
      call,
      input: (inputs as Record<string, Record<string, Record<string, unknown>>>)[noun]![name]!,
      fields: (call.input as z.ZodObject).shape as Record<string, z.ZodType>,
    })),
)

/** All that is stored, as text: equal before and after means that nothing was written. Counters of limits apart. */
export async function dump({ deps: { sql } }: Pick<TestService, 'deps'>): Promise<string> {
  const [row] = await sql<{ all: string }[]>`
    select json_build_object(
      'users', (select coalesce(json_agg(u order by u.id), '[]') from users u),
      'accounts', (select coalesce(json_agg(a order by a.id), '[]') from accounts a),
      'sessions', (select coalesce(json_agg(s order by s.id), '[]') from sessions s)
    )::text as all
  `
  return row!.all
}
