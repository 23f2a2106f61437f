import { randomInt } from 'node:crypto'

export interface Asked {
  readonly path: string
  readonly body?: object
  readonly token?: string
  /** Where it comes from; another network each time without it. */
  readonly network?: string
}

/** One of sixteen million, as a proxy tells it: an attack comes from many, and so do people. */
export const anyNetwork = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`

/** A GET, or a POST if there is a body, whole. */
export function textOf({ path, body, token, network = anyNetwork() }: Asked): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} /api/auth${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-forwarded-for: ${network}`,
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
