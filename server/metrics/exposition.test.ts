import { describe, expect, it } from 'vitest'
import { seriesOf } from '../testing/exposition.ts'
import { Counter } from './counter.ts'
import { gauge, toExposition } from './exposition.ts'
import { RequestCounts } from './requests.ts'

describe('the text of metrics', () => {
  it('is that of the format, and keeps every label inside its quotes', () => {
    const counter = new Counter<'way' | 'result'>('tries_total', 'Tries.')
    counter.add({ way: 'a"}\n# x \\', result: 'done' })
    counter.add({ way: 'b', result: 'done' }, 2)
    counter.add({ way: 'b', result: 'done' })
    const text = toExposition([counter, gauge('depth', 'Depth.', () => 0.5), gauge('unknown', 'Left out.', () => null)])
    expect(text).toBe(
      '# HELP tries_total Tries.\n# TYPE tries_total counter\n' +
        'tries_total{way="a\\"}\\n# x \\\\",result="done"} 1\ntries_total{way="b",result="done"} 3\n' +
        '# HELP depth Depth.\n# TYPE depth gauge\ndepth 0.5\n',
    )
    expect(seriesOf(text)['tries_total{way="b",result="done"}']).toBe(3)
  })

  it('puts each request into the buckets that are no shorter than it took', () => {
    const counts = new RequestCounts()
    for (const ms of [0, 1, 1.1, 240, 20_000]) counts.add('/ok', 200, ms)
    const found = seriesOf(toExposition(counts.metrics))
    const upTo = (le: string) => found[`http_request_duration_seconds_bucket{route="/ok",le="${le}"}`]
    expect(['0.001', '0.0025', '0.1', '0.25', '15', '+Inf'].map(upTo)).toEqual([2, 3, 3, 4, 4, 5])
    expect(found['http_request_duration_seconds_sum{route="/ok"}']).toBeCloseTo(20.2421)
    expect(found['http_requests_total{route="/ok",status="200"}']).toBe(5)
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
