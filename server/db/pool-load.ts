import type postgres from 'postgres'

/** What a pool has to do. A connection carries one query or one transaction at a time; what is above that waits. */
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

/** A statement of the driver: nothing is sent, and nothing counted, before somebody waits for it. */
interface Statement extends PromiseLike<unknown> {
  handler: (statement: Statement) => unknown
}

/** The pool's own tag and transactions, watched; queries of a transaction are no part of that. */
export function watched(pool: postgres.Sql, load: PoolLoad): postgres.Sql {
  return new Proxy(pool, {
    apply: (_target, self, parts) => watchStatement(Reflect.apply(pool as unknown as () => unknown, self, parts), load),
    get: (_target, name) =>
      name === 'begin'
        ? (work: (tx: postgres.TransactionSql) => Promise<unknown>) => load.watch(pool.begin(work))
        : Reflect.get(pool, name),
  })
}

/** A part of a larger statement is never handled: its handler stays where it is. */
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
