import type { Worker } from 'node:cluster'

/** The cluster module's message with a new connection, and the worker's answer to it. */
interface ClusterMessage {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Connection {
  close(): void
}

type Send = (message: ClusterMessage, connection?: Connection, ...others: unknown[]) => boolean

/**
 * Closes connections that a worker was given and did not live to take. The cluster module keeps them open for ever, and
 * their clients would wait as long.
 */
export function closeLostConnections({ process: child }: Worker): void {
  const given = new Map<number, Connection>()
  const send = child.send.bind(child) as unknown as Send
  const noted: Send = (message, connection, ...others) => {
    if (message.act === 'newconn' && message.seq !== undefined && connection) given.set(message.seq, connection)
    return send(message, connection, ...others)
  }
  Object.assign(child, { send: noted })
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) given.delete(ack)
  })
  child.once('exit', () => {
    for (const connection of given.values()) connection.close()
  })
}
