import type { Metric, Sample } from './exposition.ts'

/** Upper bounds in seconds: from an answer out of memory to one that waited for its turn until the deadline. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const

/** What is kept of one call. */
interface RouteCounts {
  readonly statuses: Map<number, number>
  /** How many took no longer than each bound and longer than the one before; the last: longer than all. */
  readonly buckets: number[]
  seconds: number
}

type Routes = ReadonlyMap<string, RouteCounts>

/** Counts requests by call and status, and how long they took by call; on the path of every request, so it only adds up. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>()

  add(route: string, status: number, ms: number): void {
    let counts = this.#routes.get(route)
    if (!counts) {
      counts = { statuses: new Map(), buckets: bounds.map(() => 0).concat(0), seconds: 0 }
      this.#routes.set(route, counts)
    }
    const seconds = ms / 1000
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    counts.seconds += seconds
    const bucket = bucketOf(seconds)
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'http_requests_total',
        help: 'Answered requests by call and status.',
        type: 'counter',
        samples: () => totals(this.#routes),
      },
      {
        name: 'http_request_duration_seconds',
        help: 'How long requests took, by call.',
        type: 'histogram',
        samples: () => durations(this.#routes),
      },
    ]
  }
}

function* totals(routes: Routes): Iterable<Sample> {
  for (const [route, { statuses }] of routes)
    for (const [status, value] of statuses) yield { labels: { route, status: String(status) }, value }
}

function* durations(routes: Routes): Iterable<Sample> {
  for (const [route, { buckets, seconds }] of routes) {
    let value = 0
    for (const [index, count] of buckets.entries()) {
      value += count
      yield { suffix: '_bucket', labels: { route, le: String(bounds[index] ?? '+Inf') }, value }
    }
    yield { suffix: '_sum', labels: { route }, value: seconds }
    yield { suffix: '_count', labels: { route }, value }
  }
}

function bucketOf(seconds: number): number {
  let index = 0
  while (seconds > (bounds[index] ?? Infinity)) index += 1
  return index
}
