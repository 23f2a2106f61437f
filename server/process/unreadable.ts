import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { codeOf } from '../../shared/failure.ts'

/** What Node's parser refuses before our code sees it. Any other error means that it was no HTTP: 400. */
const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** The answer that is being written to the socket, if one is; Node keeps it there. */
type AnsweringSocket = Duplex & { _httpMessage?: { headersSent: boolean } | null }

/** Answers in our format what Node's parser refused, if the client still listens, and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: AnsweringSocket): void {
  // Nobody listens, or another answer is half sent: a second head would be read as its body.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const message = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ code: codeOf(message), message })
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
