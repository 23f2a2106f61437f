import type { IncomingMessage } from 'node:http'

/** What somebody at the provider answered; `sub`: who they are, `isAgreed`: whether they let the application know them. */
export interface Answered {
  readonly sub: string
  readonly isAgreed: boolean
}

export const personHeader = 'x-person'

/** Of a visitor who says it along with each request, or of a form; undefined: nobody was asked yet. */
export async function answerIn(request: IncomingMessage): Promise<Answered | undefined> {
  const said = request.headers[personHeader]
  if (said !== undefined) return { sub: String(said), isAgreed: true }
  if (request.method !== 'POST') return undefined
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  return { sub: form.get('sub') ?? '', isAgreed: form.get('answer') === 'agree' }
}

/** What a person at a browser is asked. */
export const questionPage = (prompt: string): string =>
  `<!doctype html><html lang="en"><title>Provider</title><h1>${prompt === 'login' ? 'Who are you here?' : 'Tell it who you are?'}</h1>
<form method="post">${prompt === 'login' ? '<label>Account <input name="sub"></label><button>Sign in</button>' : consent}</form></html>`

const consent = '<button name="answer" value="agree">Agree</button><button name="answer" value="refuse">Refuse</button>'
