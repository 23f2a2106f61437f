import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gauge, type Metric } from './exposition.ts'

/** Milliseconds between two looks at the event loop. */
const resolution = 20

/** What dashboards of Node processes ask for, under the names that they know. `stop` ends the timer behind it. */
export function watchProcess(): { readonly metrics: readonly Metric[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  return { metrics: [...resources(), ...lagOf(delay)], stop: () => delay.disable() }
}

const resources = (): readonly Metric[] => [
  {
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system.',
    type: 'counter',
    samples: () => {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) / 1e6 }]
    },
  },
  gauge('process_start_time_seconds', 'When the process started.', () => performance.timeOrigin / 1000),
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
  gauge('nodejs_heap_size_used_bytes', 'Used heap.', () => process.memoryUsage().heapUsed),
]

/** Since the last time that the longest lag was asked for. Node measures whole intervals: what is above one is the lag. */
function lagOf(delay: ReturnType<typeof monitorEventLoopDelay>): readonly Metric[] {
  const lag = (nanoseconds: number) => Math.max(0, (nanoseconds - resolution * 1e6) / 1e9) || 0
  return [
    gauge('nodejs_eventloop_lag_p50_seconds', 'Event loop lag: half is below.', () => lag(delay.percentile(50))),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Event loop lag: 99 % is below.', () => lag(delay.percentile(99))),
    gauge('nodejs_eventloop_lag_max_seconds', 'The longest event loop lag since the last scrape.', () => {
      const longest = lag(delay.max)
      delay.reset()
      return longest
    }),
  ]
}
