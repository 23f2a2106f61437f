import { expect } from 'vitest'
import type { TestService } from './service.ts'
import { cookieHeader, type Reply, type Visitor } from './visitor.ts'

/** Sends all at once; each is answered, and none as if something had broken. */
export async function race(...requests: readonly (() => Promise<Reply>)[]): Promise<readonly Reply[]> {
  const replies = await Promise.all(requests.map((send) => send()))
  expect(replies.map(({ status, text }) => `${status} ${text}`).filter((reply) => reply.startsWith('5'))).toEqual([])
  return replies
}

/** The same person at a service, with the cookies of now for ever: the next round starts as this one does. */
export function steady<P extends Visitor>(person: P, service: Pick<TestService, 'visitor'>): P {
  const cookie = cookieHeader(person.cookies)
  const visitor = service.visitor()
  return {
    ...person,
    ...visitor,
    cookies: new Map(person.cookies),
    get: (path: string) => visitor.get(path, { cookie }),
    post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      visitor.post(path, body, { cookie, ...headers }),
  }
}

export const won = (replies: readonly Reply[]): number => replies.filter(({ status }) => status === 200).length
