/** One number of a metric. */
export interface Sample {
  /** Follows the metric's name: `_bucket`, `_sum`, `_count` of a histogram. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** As of now; none for what is not known now. */
  samples(): Iterable<Sample>
}

/** What the text is told to be: Prometheus' text format, which its scrapers and OpenTelemetry's all read. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics as text, each with its help and type; one without samples is left out. */
export function toExposition(metrics: readonly Metric[]): string {
  return metrics.map(textOf).join('')
}

function textOf(metric: Metric): string {
  const { name, help, type } = metric
  const lines = Array.from(metric.samples(), (sample) => lineOf(name, sample))
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

const lineOf = (name: string, { suffix = '', labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** A metric whose only number, without labels, is looked up when it is asked for; null: not known now. */
export const gauge = (name: string, help: string, read: () => number | null): Metric => ({
  name,
  help,
  type: 'gauge',
  samples() {
    const value = read()
    return value === null ? [] : [{ value }]
  },
})
