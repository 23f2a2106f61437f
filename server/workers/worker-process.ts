import cluster, { type Worker } from 'node:cluster'
import { within } from '../../shared/within.ts'
import type { MetricValues } from '../metrics/create-metrics.ts'
import type { Assignment, PrimaryCalls, Serving, WorkerCalls } from './calls.ts'
import { Channel, type Port } from './channel.ts'
import { HashTurns } from './hash-turns.ts'
import type { SharedState } from './shared-state.ts'

/** A worker as the primary knows it. */
export class WorkerProcess {
  readonly channel: Channel<PrimaryCalls, WorkerCalls>
  readonly pid: number | undefined
  /** Resolves when it serves, and rejects with its own error when it cannot. */
  readonly serving: Promise<Serving>
  /** How it ended: its exit code or signal. */
  readonly exited: Promise<number | string>
  /** The metrics that it reported last. */
  metrics: MetricValues = []
  readonly #worker: Worker

  constructor(state: SharedState, assignment: () => Assignment) {
    this.#worker = cluster.fork()
    closeLostConnections(this.#worker)
    this.pid = this.#worker.process.pid
    const turns = new HashTurns(state.hashQueue)
    const { promise, resolve, reject } = withResolvers<Serving>()
    this.serving = promise
    this.channel = new Channel(this.#worker as unknown as Port, {
      ...this.#sharedCalls(state, turns),
      join: () => {
        state.enter(this)
        return assignment()
      },
      serving: resolve,
      failed: ({ name, message }) => reject(Object.assign(new Error(message), { name })),
      stopped: (metrics) => {
        this.metrics = metrics
      },
    })
    this.exited = new Promise((ended) => {
      const end = (how: number | string) => {
        state.leave(this)
        turns.endAll()
        this.channel.close()
        reject(new Error(`a worker ended before it served: ${how}`))
        ended(how)
      }
      this.#worker.once('exit', (code, signal) => end(signal ?? code))
      // A process that could not be started never exits. Of one that was, the exit tells what an error meant.
      this.#worker.on('error', ({ message }: Error) => this.pid === undefined && end(message))
    })
  }

  /** Reads its metrics anew. A worker that does not answer in time keeps its last ones. */
  async readMetrics(ms: number): Promise<void> {
    const unchanged = () => this.metrics
    this.metrics = await within(ms, this.channel.ask('metrics'), unchanged).catch(unchanged)
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  #sharedCalls(state: SharedState, turns: HashTurns) {
    return {
      count: (limit, key) => state.counter(limit).count(key),
      refund: (limit, key) => void state.counter(limit).refund(key),
      acted: (act) => {
        state.acts.count(act)
        for (const { channel } of state.others(this)) channel.tell('acted', act)
      },
      revoked: (ids) => {
        state.revocations.add(ids)
        for (const { channel } of state.others(this)) channel.tell('revoked', ids)
      },
      hashTurn: (sender) => turns.take(sender),
      hashDone: (turn) => turns.end(turn),
    } satisfies Partial<PrimaryCalls>
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Whoever starts a worker awaits this. `exited` reports a later end.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}

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
function closeLostConnections({ process: child }: Worker): void {
  const given = new Map<number, Connection>()
  // A process that could not be started may have no pipe.
  if (!child.connected) return
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
