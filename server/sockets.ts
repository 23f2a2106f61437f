import type { Server, Socket } from 'node:net'
import { networkOf } from './address.ts'
import type { Config } from './config.ts'

/** Milliseconds. */
interface SocketLimits {
  /** Between two looks at all sockets. */
  readonly look: number
  /** For a client to take what was sent to it: half a megabyte over a slow line. */
  readonly taking: number
}

const usual: SocketLimits = { look: 2000, taking: 60_000 }

/** Open sockets that one network may hold; a proxy in front counts as its own network, so trusted ones are free. */
const socketsPerNetwork = 1024

/** How a socket stood at the last look. */
interface Seen {
  readonly socket: Socket
  /** Since when so many bytes wait to be taken; 0: none do. */
  since: number
  target: number
  /** We said goodbye, and that was taken. */
  isOver: boolean
}

/**
 * Keeps a server's sockets within bounds: a network has so many; who does not take its answer, or does not close after we
 * did, is cut off. Node itself waits for both for ever.
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

/** Looks at a socket, and remembers it for the next time. */
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

  /** Whether there is room; if so, one more is in. */
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
