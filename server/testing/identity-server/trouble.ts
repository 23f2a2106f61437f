import type { ServerResponse } from 'node:http'

/** What an answer can be in place of the right one. */
export type Trouble =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'html'
  | 'html-500'
  | 'redirect'
  | 'not-json'
  | 'empty'
  /** Never answers. */
  | 'stall'
  /** A byte at a time, for ever. */
  | 'drip'
  /** 100 MB, as far as somebody reads them. */
  | 'huge'
  /** Ends the connection in the middle of the answer. */
  | 'half'
  | 'challenge'

const json = { 'content-type': 'application/json' }
const page = { 'content-type': 'text/html' }

const whole: Partial<Record<Trouble & string, readonly [number, Record<string, string>, string]>> = {
  html: [200, page, '<!doctype html><title>Sign in</title>'],
  'html-500': [500, page, '<h1>Internal Server Error</h1>'],
  redirect: [302, { location: 'http://169.254.169.254/latest/meta-data' }, ''],
  'not-json': [200, json, '{"access_token": '],
  empty: [200, json, ''],
  challenge: [401, { ...json, 'www-authenticate': 'Bearer error="invalid_token"' }, '{}'],
}

export function makeTrouble(response: ServerResponse, trouble: Trouble): void {
  if (typeof trouble === 'object') {
    response.writeHead(trouble.status ?? 200, { ...json, ...trouble.headers }).end(JSON.stringify(trouble.json))
    return
  }
  const answer = whole[trouble]
  if (answer) return void response.writeHead(answer[0], answer[1]).end(answer[2])
  if (trouble === 'drip') drip(response)
  if (trouble === 'huge') pour(response)
  if (trouble === 'half') breakOff(response)
}

function drip(response: ServerResponse): void {
  response.writeHead(200, json).write('{"id":"')
  const timer = setInterval(() => response.write('a'), 100)
  response.once('close', () => clearInterval(timer))
}

const megabyte = 'a'.repeat(2 ** 20)

function pour(response: ServerResponse): void {
  response.writeHead(200, json).write('{"id":"')
  let written = 0
  const more = () => {
    while (written < 100 && !response.destroyed) {
      written += 1
      if (!response.write(megabyte)) return void response.once('drain', more)
    }
    response.end('"}')
  }
  more()
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"access_token":"half')
  setTimeout(() => response.destroy(), 20)
}
