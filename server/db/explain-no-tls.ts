import { once } from 'node:events'
import { connect } from 'node:net'
import type { Driver } from './connect.ts'

/** The message by which a client of PostgreSQL asks for TLS. The server answers S or N before anything else. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const refusal = 'N'.charCodeAt(0)
/** Milliseconds. */
const patience = 2000

/**
 * The error of a connection, or in its place a sentence where the server has no TLS and the address asks for it. The
 * driver ignores that answer, and Node then says the same as of a server that went away meanwhile. An error that such a
 * connection cannot have is that of another one.
 */
export async function explainNoTls({ options }: Driver, error: unknown): Promise<unknown> {
  if (!options.ssl || !/before secure TLS connection/.test(String(Object(error).message))) return error
  const [host, port, path] = [options.host[0], options.port[0] ?? 0, options.path]
  if (!(await refusesTls(path ? { path } : { host, port }))) return error
  const sentence = `the server at ${path || `${host}:${port}`} offers no TLS, which sslmode in its address asks for: turn it on there, or set sslmode=disable if nobody can read on the way`
  return Object.assign(new Error(sentence), { code: 'ERR_SSL_NOT_OFFERED' })
}

async function refusesTls(place: { path: string } | { host: string | undefined; port: number }): Promise<boolean> {
  const socket = connect(place as { host: string; port: number })
  try {
    socket.write(sslRequest)
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(patience) })) as [Buffer]
    return answer[0] === refusal
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
