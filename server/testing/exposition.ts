const label = /[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"/
const sample = new RegExp(
  `^([a-zA-Z_:][\\w:]*)(\\{${label.source}(?:,${label.source})*\\})? (-?[\\d.]+(?:e[+-]?\\d+)?|\\+Inf|NaN)$`,
)

/** A text that is none of Prometheus' format. */
const refuse = (problem: string): never => {
  throw new Error(problem)
}

/**
 * Series → value (the bound of a bucket last), of a text in Prometheus' format: one help and one type before all samples of a metric, no series twice, the
 * buckets of a histogram in order and ending with all there are.
 *
 * @throws Error for any other text.
 */
export function seriesOf(text: string): Record<string, number> {
  const found: Record<string, number> = {}
  const types = new Map<string, string>()
  if (!text.endsWith('\n')) refuse('The last line has no end')
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (name && type) addType(types, name, type)
    else if (!/^# HELP [a-z]\w* \S.*$/.test(line)) addSample(found, line, [...types].at(-1))
  }
  checkHistograms(found)
  return found
}

function addType(types: Map<string, string>, name: string, type: string): void {
  if (types.has(name)) refuse(`${name} has two types`)
  types.set(name, type)
}

function addSample(found: Record<string, number>, line: string, [name, type] = ['', '']): void {
  const [, metric = '', told = '', value = ''] = sample.exec(line) ?? []
  const labels = told.replace(/^\{(le="[^"]*"),(.*)\}$/, '{$2,$1}')
  const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!suffixes.some((suffix) => metric === name + suffix)) refuse(`Out of place: ${line}`)
  if (metric + labels in found) refuse(`Twice: ${line}`)
  found[metric + labels] = Number(value)
}

function checkHistograms(found: Readonly<Record<string, number>>): void {
  const last = new Map<string, number>()
  for (const [series, value] of Object.entries(found)) {
    const [, before, after] = /^(.*)_bucket(\{.*),le="[^"]*"\}$/.exec(series) ?? []
    if (before === undefined) continue
    const key = `${before}_count${after}}`
    if (value < (last.get(key) ?? 0)) refuse(`Less than the bucket before: ${series}`)
    last.set(key, value)
  }
  for (const [key, value] of last) if (found[key] !== value) refuse(`Buckets and count differ: ${key}`)
}
