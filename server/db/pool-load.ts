import type postgres from 'postgres'

/** The load of a pool. A connection carries one query or one transaction at a time; everything above that waits. */
export class PoolLoad {
  readonly connections: number
  #asked = 0

  constructor(connections: number) {
    this.connections = connections
  }

  get used(): number {
    return Math.min(this.#asked, this.connections)
  }

  get waiting(): number {
    return this.#asked - this.used
  }

  /** Counts work until it settles. */
  watch<T extends PromiseLike<unknown>>(work: T): T {
    this.#asked += 1
    const settle = () => {
      this.#asked -= 1
    }
    work.then(settle, settle)
    return work
  }
}

/** A statement of the driver. It is sent, and counted, only once somebody awaits it. */
interface Statement extends PromiseLike<unknown> {
  handler: (statement: Statement) => unknown
}

/** Counts the pool's own queries and transactions. Queries inside a transaction do not count separately. */
export function watchPool(pool: postgres.Sql, load: PoolLoad): postgres.Sql {
  return new Proxy(pool, {
    apply: (_target, self, parts) => watchStatement(Reflect.apply(pool as unknown as () => unknown, self, parts), load),
    get: (_target, name) =>
      name === 'begin'
        ? (work: (tx: postgres.TransactionSql) => Promise<unknown>) => load.watch(pool.begin(work))
        : Reflect.get(pool, name),
  })
}

/** Fragments of a larger statement are never awaited, so their handler stays unused. */
function watchStatement(made: unknown, load: PoolLoad): unknown {
  if (!isStatement(made)) return made
  const { handler } = made
  made.handler = (statement) => {
    handler(statement)
    load.watch(statement)
  }
  return made
}

const isStatement = (made: unknown): made is Statement => made instanceof Promise && 'handler' in made
