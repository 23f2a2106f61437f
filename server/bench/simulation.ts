/** CPU of one request, in milliseconds: of the service, and of PostgreSQL. */
export interface Cost {
  readonly service: number
  readonly database: number
}

/** A kind of request, its cost as measured, and its part of all. */
export interface Kind extends Cost {
  readonly share: number
  /** May be answered by a replica. */
  readonly isReplicable?: boolean
}

/** What the requests meet: cores of the service, and cells with a PostgreSQL of their own each. */
export interface Layout {
  readonly serviceCores: number
  readonly databaseCores: number
  /** Of the replica of each cell; none without one. */
  readonly replicaCores?: number
  readonly cells?: number
}

export interface Capacity {
  /** The most requests a second with which no part is busier than allowed, and only a hundredth waits longer than allowed. */
  readonly rate: number
  /** The busiest part then. */
  readonly busiest: { readonly part: 'service' | 'database' | 'replica'; readonly share: number }
}

/** So many that chance moves a result by no more than a hundredth or two. */
const requests = 50_000
/** In queues, in milliseconds. */
const allowedWait = 50
/** Of the time; the rest is for peaks, and for the work of a machine that fails. */
const allowedBusy = 0.7
/** Organizations among which the requests of cells are spread; the largest have most of them, by Zipf. */
const organizations = 200

/** The same numbers in each run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Searched for by halves, until it is known to a hundredth. */
export function findCapacity(layout: Layout, kinds: readonly Kind[]): Capacity {
  let [least, most] = [0, mostByCores(layout, kinds)]
  while ((most - least) / most > 0.01) {
    const rate = (least + most) / 2
    const { wait, busiest } = simulate(layout, kinds, rate)
    if (wait <= allowedWait && busiest.share <= allowedBusy) least = rate
    else most = rate
  }
  return { rate: least, busiest: simulate(layout, kinds, least).busiest }
}

/** What the cores do in the time that they may be busy, if no request ever waited. */
function mostByCores(layout: Layout, kinds: readonly Kind[]): number {
  const [service, database] = [
    kinds.reduce((sum, kind) => sum + kind.share * kind.service, 0),
    kinds.reduce((sum, kind) => sum + kind.share * kind.database, 0),
  ]
  const cells = layout.cells ?? 1
  const databases = (layout.databaseCores + (layout.replicaCores ?? 0)) * cells
  return 1000 * allowedBusy * Math.min((layout.serviceCores * cells) / service, databases / database)
}

interface Outcome {
  /** What all but a hundredth of the requests waited at most, in milliseconds. */
  readonly wait: number
  readonly busiest: Capacity['busiest']
}

/** Requests at random moments, each of which takes a core of the service and then one of its database, in turn. */
export function simulate(layout: Layout, kinds: readonly Kind[], rate: number): Outcome {
  const random = createRandom(20_260)
  const between = (mean: number) => -mean * Math.log(1 - random())
  const cells = Array.from({ length: layout.cells ?? 1 }, () => ({
    service: new Station(layout.serviceCores),
    database: new Station(layout.databaseCores),
    replica: new Station(layout.replicaCores ?? 0),
  }))
  const cellOf = createRouter(cells.length, random)
  let now = 0
  const served = Array.from({ length: requests }, () => {
    now += between(1000 / rate)
    const [cell, kind] = [cells[cellOf()]!, pick(kinds, random())]
    return { cell, kind, ...cell.service.serve(now, between(kind.service)) }
  })
  // In the order in which they reach the database, which is not the one in which they came.
  const waits = served
    .toSorted((one, other) => one.end - other.end)
    .map(({ cell, kind, end, wait }) => {
      const store = kind.isReplicable && layout.replicaCores ? cell.replica : cell.database
      return wait + store.serve(end, between(kind.database)).wait
    })
  const parts = (['service', 'database', 'replica'] as const).map((part) => ({
    part,
    share: Math.max(...cells.map((cell) => cell[part].busyShare(now))),
  }))
  const busiest = parts.reduce((most, one) => (one.share > most.share ? one : most))
  return { wait: waits.toSorted((a, b) => a - b)[Math.floor(requests * 0.99)] ?? 0, busiest }
}

/** Cores that serve one request at a time each, in the order in which the requests come. */
class Station {
  readonly #freeAt: Float64Array
  #busy = 0

  constructor(cores: number) {
    this.#freeAt = new Float64Array(cores)
  }

  serve(at: number, work: number): { readonly wait: number; readonly end: number } {
    let core = 0
    for (let n = 1; n < this.#freeAt.length; n += 1) if (this.#freeAt[n]! < this.#freeAt[core]!) core = n
    const begin = Math.max(at, this.#freeAt[core] ?? at)
    this.#freeAt[core] = begin + work
    this.#busy += work
    return { wait: begin - at, end: begin + work }
  }

  busyShare(duration: number): number {
    return this.#freeAt.length === 0 ? 0 : this.#busy / (duration * this.#freeAt.length)
  }
}

/** Gives the cell of the next request's organization. New organizations are put where the fewest requests go. */
function createRouter(cells: number, random: () => number): () => number {
  if (cells === 1) return () => 0
  const weights = Array.from({ length: organizations }, (_, n) => 1 / (n + 1))
  const loads = Array.from({ length: cells }, () => 0)
  const homes = weights.map((weight) => {
    const home = loads.indexOf(Math.min(...loads))
    loads[home]! += weight
    return home
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return () => {
    let left = random() * total
    const organization = weights.findIndex((weight) => (left -= weight) < 0)
    return homes[organization] ?? 0
  }
}

function pick(kinds: readonly Kind[], at: number): Kind {
  let left = at
  return kinds.find(({ share }) => (left -= share) < 0) ?? kinds[0]!
}
