import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { testCertificate as cert, testKey as key } from './certificate.ts'

/** A server of a database with TLS, and with a certificate that nobody accepts. */
export async function openUntrustedDatabase() {
  const server = createServer((socket) => {
    const secure = () => new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined)
    // What asks for TLS is answered by one letter.
    socket.on('error', () => undefined).once('data', () => socket.write('S', secure))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `postgres://a@127.0.0.1:${port}/b?sslmode=verify-full`, close: () => server.close() }
}
