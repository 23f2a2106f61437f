import type { Server, Socket } from 'node:net'
import type { Config } from '../config.ts'
import { networkOf } from '../limits/ip-address.ts'

/** Milliseconds. */
interface SocketLimits {
  /** Between two checks of all sockets. */
  readonly look: number
  /** How long a client may take to receive what was sent: enough for half a megabyte over a slow line. */
  readonly taking: number
}

const usual: SocketLimits = { look: 2000, taking: 60_000 }

/** Open sockets that one network may hold. A trusted proxy, which speaks for many networks, has no such limit. */
const socketsPerNetwork = 1024

/** The state of a socket at the last check. */
interface Seen {
  readonly socket: Socket
  /** Since when bytes up to `target` wait to be received; 0: none wait. */
  since: number
  target: number
  /** We ended the connection, and the client has received that. */
  isOver: boolean
}

/**
 * Keeps a server's sockets within bounds: so many a network; a client that does not receive its answer, or does not close
 * after we did, is cut off. Node itself waits for ever for both.
 */
export function watchSockets(
  server: Server,
  { TRUSTED_PROXIES }: Pick<Config, 'TRUSTED_PROXIES'>,
  limits = usual,
): void {
  const open = new Set<Seen>()
  const networks = new NetworkCount(socketsPerNetwork)
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isCounted = !TRUSTED_PROXIES.some((matches) => matches(address))
    if (isCounted && !networks.enter(address)) {
      socket.destroy()
      return
    }
    const seen: Seen = { socket, since: 0, target: 0, isOver: false }
    open.add(seen)
    socket.once('close', () => {
      open.delete(seen)
      if (isCounted) networks.leave(address)
    })
  })
  const timer = setInterval(() => {
    for (const seen of open) if (isStuck(seen, limits.taking)) seen.socket.destroy()
  }, limits.look).unref()
  server.once('close', () => clearInterval(timer))
}

/** Checks a socket, and remembers its state for the next check. */
function isStuck(seen: Seen, taking: number): boolean {
  const { socket, since, target, isOver } = seen
  const taken = socket.bytesWritten - socket.writableLength
  if (since > 0 && taken < target) return performance.now() - since > taking
  seen.since = socket.writableLength > 0 ? performance.now() : 0
  seen.target = socket.bytesWritten
  seen.isOver = socket.writableFinished
  return isOver
}

/** Counts by network: whoever has one IPv6 address has 2^64 of them. */
export class NetworkCount {
  readonly #max: number
  readonly #open = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one more, if there is room; tells whether there was. */
  enter(address: string): boolean {
    const network = networkOf(address)
    const count = this.#open.get(network) ?? 0
    if (count >= this.#max) return false
    this.#open.set(network, count + 1)
    return true
  }

  leave(address: string): void {
    const network = networkOf(address)
    const left = (this.#open.get(network) ?? 1) - 1
    if (left > 0) this.#open.set(network, left)
    else this.#open.delete(network)
  }
}
