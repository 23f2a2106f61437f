import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Answer = (response: ServerResponse, body: URLSearchParams, request: IncomingMessage) => unknown

/** A provider that answers whatever a test wants: for what no honest one does. */
export interface ScriptedProvider {
  readonly url: string
  /** The settings that let it stand in for the provider of that prefix, such as GITHUB. */
  settings(prefix: string): Record<string, string>
  /** Path → its answer; replaced by tests as they like. */
  readonly answers: Record<string, Answer>
  /** `POST /token` and the like, each with its body. */
  readonly requests: {
    readonly line: string
    readonly body: URLSearchParams
    readonly headers: IncomingMessage['headers']
  }[]
  stop(): Promise<void>
}

export const answerJson =
  (value: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

export const tokenReply = { access_token: 'at-1', token_type: 'bearer', scope: 'read:user,user:email' }

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const answers: Record<string, Answer> = {}
  const requests: ScriptedProvider['requests'] = []
  const server = createServer((request, response) => {
    void text(request).then((given) => {
      const path = new URL(request.url ?? '/', 'http://x').pathname
      const body = new URLSearchParams(given)
      requests.push({ line: `${request.method} ${path}`, body, headers: request.headers })
      const answer = answers[path] ?? answerJson({ error: 'not_found' }, 404)
      return answer(response, body, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    answers,
    requests,
    settings: (prefix) => ({
      [`${prefix}_CLIENT_ID`]: 'scripted',
      [`${prefix}_CLIENT_SECRET`]: 'secret-of-scripted',
      [`${prefix}_ISSUER`]: url,
      [`${prefix}_AUTHORIZATION_URL`]: `${url}/authorize`,
      [`${prefix}_TOKEN_URL`]: `${url}/token`,
      [`${prefix}_USERINFO_URL`]: `${url}/user`,
      [`${prefix}_JWKS_URL`]: `${url}/jwks`,
    }),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
