import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { BrowserReturn } from '../flows/waiting.ts'

/**
 * Listens on the loopback address, on a free port, for the browser's redirect (RFC 8252, section 7.3). Only a request
 * with the right state counts. All others are rejected and change nothing.
 */
export async function listenForRedirect(): Promise<BrowserReturn> {
  const state = randomBytes(32).toString('base64url')
  let take: (query: URLSearchParams) => void = () => {}
  const query = new Promise<URLSearchParams>((resolve) => {
    take = resolve
  })
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, (request, response) => {
    const found = redirectQuery(request, portOf(server), state)
    if (!found) return answer(response, 404, 'There is nothing here.')
    answer(response, 200, done)
    server.close()
    take(found)
  })
  server.maxConnections = 16
  await listening(server)
  return {
    address: `http://127.0.0.1:${portOf(server)}${path}`,
    state,
    query,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const path = '/signed-in'
const done = 'You can close this page and go back to the terminal.'

/** Accepts requests to the loopback address only. A foreign host name that resolves here (DNS rebinding) is refused. */
function redirectQuery({ method, url = '', headers }: IncomingMessage, port: number, state: string) {
  const address = `http://127.0.0.1:${port}`
  if (method !== 'GET' || headers.host !== `127.0.0.1:${port}` || !URL.canParse(url, address)) return undefined
  const { pathname, searchParams } = new URL(url, address)
  return pathname === path && isSame(searchParams.get('state') ?? '', state) ? searchParams : undefined
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(`<!doctype html><html lang="en"><title>Postern</title><p>${sentence}</p></html>\n`)
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0
