import { answerJson, type ScriptedProvider, tokenReply } from './scripted-provider.ts'
import type { Visitor } from './visitor.ts'

let ids = 1000
export const uniqueId = () => (ids += 1)

/** Lets a scripted GitHub vouch for the address of somebody new, and forgets what it was asked before. */
export function vouchFor(provider: ScriptedProvider): string {
  const email = `ann-${crypto.randomUUID()}@example.com`
  provider.answers['/token'] = answerJson(tokenReply)
  provider.answers['/user'] = answerJson({ id: uniqueId(), login: 'ann', name: 'Ann', email: null })
  provider.answers['/user/emails'] = answerJson([{ email, primary: true, verified: true }])
  provider.requests.length = 0
  return email
}

/** Begins a sign-in: its state. */
export async function begin(visitor: Visitor, body: Record<string, unknown> = {}): Promise<string> {
  const targets = { callbackURL: '/home', errorCallbackURL: '/oops?x=1', newUserCallbackURL: '/welcome' }
  const { body: answer } = await visitor.post('/sign-in/social', { provider: 'github', ...targets, ...body })
  return new URL(answer.url).searchParams.get('state') ?? ''
}

/** The way back, with what the provider adds to it. */
export const back = (visitor: Visitor, state: string, query = 'code=c', id = 'github') =>
  visitor.get(`/callback/${id}?state=${state}&${query}`)

export const errorPage = (query: string) => `http://localhost:4100/api/auth/error?${query}`
