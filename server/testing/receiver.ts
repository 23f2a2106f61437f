import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuditEventView } from '../../shared/audit.ts'

/** What a receiver got. */
export interface Delivery {
  readonly id: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly type: string
  readonly timestamp: string
  readonly data: AuditEventView & { readonly createdAt: string }
}

/** How it answers; a number is a status. */
type Answer = number | ((response: ServerResponse, request: IncomingMessage) => void)

export interface Receiver {
  readonly url: string
  readonly port: number
  /** In the order in which they came, refused ones as well. */
  readonly got: Delivery[]
  /** Those that it took. */
  readonly taken: Delivery[]
  answer: (delivery: Delivery) => Answer | Promise<Answer>
  stop(): Promise<void>
}

/** A real server that keeps what it is sent. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    got: [],
    taken: [],
    answer: () => 204,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const delivery = read(request, Buffer.concat(chunks).toString())
    receiver.got.push(delivery)
    const answer = await receiver.answer(delivery)
    if (typeof answer === 'function') return answer(response, request)
    if (answer < 300) receiver.taken.push(delivery)
    response.writeHead(answer).end('ok')
  }
  return receiver
}

const read = ({ headers, url: path = '' }: IncomingMessage, text: string): Delivery => ({
  id: String(headers['webhook-id']),
  path,
  headers,
  text,
  ...JSON.parse(text),
})

/** Whether one of its signatures is by this secret. */
export function isSignedBy({ headers, text }: Delivery, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], text].join('.')
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`)
}
