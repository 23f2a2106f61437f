import { randomUUID } from 'node:crypto'
import type { BetterAuthClientPlugin } from 'better-auth/client'
import { createAuthClient } from 'better-auth/client'
import { knownCalls } from './calls.ts'
import { testPassword } from './service.ts'
import { cookieHeader, type Json, keepCookie } from './visitor.ts'

/** A fetch with a jar such as a browser would be; `note` is told the path of each request. */
export function createFetch(note: (path: string) => void = () => {}) {
  const jar = new Map<string, string>()
  // As it is now: a test may put the answer of this function in its place.
  const { fetch } = globalThis
  const customFetchImpl: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    if (jar.size > 0) headers.set('cookie', cookieHeader(jar))
    note(new URL(input instanceof Request ? input.url : input).pathname.replace('/api/auth', ''))
    const response = await fetch(input, { ...init, headers })
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
    return response
  }
  return { jar, customFetchImpl }
}

export const someone = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

interface Answer {
  readonly data: Json
  readonly error: { readonly status: number; readonly code?: string; readonly message?: string } | null
}
/** A plugin's methods are made from their names as they are called; its own types do not pass our compiler. */
type Methods = Readonly<Record<string, (fields?: object) => Promise<Answer>>> & {
  readonly checkRolePermission: (asked: object) => boolean
}

/** Somebody new, with the client as its users have it and the methods of one of its plugins; `asked`: their paths. */
export async function signUpWith(origin: string, name: string, plugin: unknown, asked: Set<string>) {
  const { customFetchImpl } = createFetch((path) => {
    if (path.startsWith(`/${name}/`)) asked.add(path)
  })
  const plugins = [plugin as BetterAuthClientPlugin]
  const client = createAuthClient({ baseURL: origin, plugins, fetchOptions: { customFetchImpl } })
  const account = someone()
  const { data } = await client.signUp.email(account)
  const methods = (client as unknown as Record<string, Methods>)[name]!
  /** Calls a method and gives its data; a refusal is no data. */
  const ask = async (method: string, fields?: object): Promise<Json> => {
    const { data: answered, error } = await methods[method]!(fields)
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return answered
  }
  return { client, methods, ask, email: account.email, id: data!.user.id }
}

/** The paths of the calls that the reference has: all of a name, but ours beside them. */
export function pathsOf(name: string, beside: readonly string[]): Set<string> {
  const ours = new Set(beside.map((call) => `/${name}/${call}`))
  const paths = knownCalls.map(({ path }) => path).filter((path) => path.startsWith(`/${name}/`))
  return new Set(paths.filter((path) => !ours.has(path)))
}
