import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import { addGauges, addTotal } from './read-metrics.ts'

/** Milliseconds between two samples of the event loop. */
const resolution = 20

/**
 * Metrics that dashboards for Node processes expect, under their usual names. The library's own collectors would run
 * for as long as the process lives. Returns a function that stops the timer.
 */
export function addProcess(registry: Registry): () => void {
  addTotal(registry, 'process_cpu_seconds_total', 'Processor time, user and system.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  const startedAt = () => performance.timeOrigin / 1000
  addGauges(registry, { process_start_time_seconds: ['When the process started.', startedAt] }, 'min')
  addGauges(
    registry,
    {
      process_resident_memory_bytes: [
        'Resident memory; with workers, of the one with most.',
        () => process.memoryUsage.rss(),
      ],
      nodejs_heap_size_used_bytes: [
        'Used heap; with workers, of the one with most.',
        () => process.memoryUsage().heapUsed,
      ],
    },
    'max',
  )
  return addLag(registry)
}

/** The longest lag since the last scrape. Node measures whole intervals, so the lag is what exceeds one. */
function addLag(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution })
  const lag = (nanoseconds: number) => Math.max(0, (nanoseconds - resolution * 1e6) / 1e9) || 0
  delay.enable()
  const longest = () => {
    const seen = lag(delay.max)
    delay.reset()
    return seen
  }
  addGauges(
    registry,
    {
      nodejs_eventloop_lag_p50_seconds: ['Event loop lag: half is below.', () => lag(delay.percentile(50))],
      nodejs_eventloop_lag_p99_seconds: ['Event loop lag: 99 % is below.', () => lag(delay.percentile(99))],
      nodejs_eventloop_lag_max_seconds: ['The longest event loop lag since the last scrape.', longest],
    },
    'max',
  )
  return () => delay.disable()
}
