import { describe, expect, it } from 'vitest'
import { PoolLoad } from '../db/pool-load.ts'
import { seriesOf } from '../testing/exposition.ts'
import { createMetrics, type MetricSources, type OutboxDepth, textOfAll } from './create-metrics.ts'

const queue = { running: 1, waiting: 2, refused: 3 } as MetricSources['passwords']['queue']
const metricsOf = (outbox: () => OutboxDepth | null = () => null) => {
  const sources = { passwords: { queue }, pool: new PoolLoad(4), version: '1.2.3' }
  const made = createMetrics({ ...sources, outbox: () => Promise.resolve(outbox()) })
  made.stop()
  return made
}

describe('the text of metrics', () => {
  it('is that of the format, and keeps every label inside its quotes', async () => {
    const { observer, text } = metricsOf()
    observer.withheld('a"}\n# x \\', 'done')
    observer.withheld('b', 'done')
    observer.withheld('b', 'done')
    const found = await text()
    expect(found).toContain(
      '# HELP postern_mails_withheld_total Mails withheld by a limit.\n# TYPE postern_mails_withheld_total counter\n' +
        'postern_mails_withheld_total{kind="a\\"}\\n# x \\\\",limit="done"} 1\n' +
        'postern_mails_withheld_total{kind="b",limit="done"} 2\n',
    )
    expect(seriesOf(found)['postern_mails_withheld_total{kind="b",limit="done"}']).toBe(2)
  })

  it('has what is looked up as it is now, and nothing of what is not known', async () => {
    let depth: OutboxDepth | null = null
    const { text } = metricsOf(() => depth)
    const outboxOf = (series: object) => Object.entries(series).filter(([name]) => name.startsWith('postern_outbox'))
    expect(outboxOf(seriesOf(await text()))).toEqual([])
    depth = { waiting: 5, parked: 6, held: 7, oldest: 8.5 }
    expect(outboxOf(seriesOf(await text())).map(([, value]) => value)).toEqual([5, 6, 7, 8.5])
    depth = null
    const found = seriesOf(await text())
    expect(outboxOf(found)).toEqual([])
    expect(found).toMatchObject({
      'postern_info{version="1.2.3"}': 1,
      postern_password_hashes_running: 1,
      postern_password_hashes_waiting: 2,
      postern_password_hashes_refused_total: 3,
      postern_database_connections_max: 4,
      nodejs_eventloop_lag_max_seconds: 0,
    })
  })

  it('puts each request into the buckets that are no shorter than it took', async () => {
    const { observer, text } = metricsOf()
    for (const ms of [0, 1, 1.1, 240, 20_000]) observer.request('/ok', 200, ms)
    const found = seriesOf(await text())
    const upTo = (le: string) => found[`http_request_duration_seconds_bucket{route="/ok",le="${le}"}`]
    expect(['0.001', '0.0025', '0.1', '0.25', '15', '+Inf'].map(upTo)).toEqual([2, 3, 3, 4, 4, 5])
    expect(found['http_request_duration_seconds_sum{route="/ok"}']).toBeCloseTo(20.2421)
    expect(found['http_requests_total{route="/ok",status="200"}']).toBe(5)
  })

  it.each([
    ['/device/token', 'device'],
    ['/device/approve', 'device'],
    ['/page/device/decision', 'device'],
    ['/page/device/password', 'password'],
    ['/page/device/provider', 'provider'],
    ['/callback/{id}', 'provider'],
    ['/sign-in/email', 'password'],
    ['/sign-up/email', 'password'],
  ])('counts a sign-in at %s as one by %s', async (route, way) => {
    const { observer, text } = metricsOf()
    observer.event('sign-in-failed', route, 'EMAIL_NOT_VERIFIED')
    expect(seriesOf(await text())[`postern_sign_ins_total{way="${way}",result="EMAIL_NOT_VERIFIED"}`]).toBe(1)
  })

  it('of one service has nothing of another', async () => {
    const [one, other] = [metricsOf(), metricsOf()]
    one.observer.request('/ok', 200, 1)
    expect(await one.text()).toContain('route="/ok"')
    expect(await other.text()).not.toContain('route="/ok"')
  })

  it('of several processes adds up what was counted, and has the fullest pool and the largest process', async () => {
    const [full, idle] = [metricsOf(), metricsOf()]
    for (const { observer } of [full, idle]) observer.request('/ok', 200, 1)
    void full.pool.watch(new Promise(() => undefined))
    const found = seriesOf(await textOfAll(await Promise.all([full.values(), idle.values()])))
    expect(found).toMatchObject({
      'http_requests_total{route="/ok",status="200"}': 2,
      postern_database_connections_max: 4,
      postern_database_connections_used: 1,
      postern_database_waiting: 0,
    })
    expect(found['process_resident_memory_bytes']).toBeLessThan(1.5 * process.memoryUsage.rss())
  })
})

describe('a text in another format', () => {
  it.each([
    ['x 1\n', 'Out of place'],
    ['# TYPE x gauge\nx 1', 'no end'],
    ['# TYPE x gauge\nx 1\nx 2\n', 'Twice'],
    ['# TYPE x gauge\nx{a="b"c"} 1\n', 'Out of place'],
    ['# TYPE x gauge\n# TYPE x gauge\n', 'two types'],
    ['# TYPE x histogram\nx_bucket{a="b",le="1"} 2\nx_bucket{a="b",le="+Inf"} 1\nx_count{a="b"} 1\n', 'Less than'],
    ['# TYPE x histogram\nx_bucket{a="b",le="+Inf"} 1\nx_count{a="b"} 2\n', 'differ'],
  ])('%j is none', (text, problem) => expect(() => seriesOf(text)).toThrow(problem))
})
