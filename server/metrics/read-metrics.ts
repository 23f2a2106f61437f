import { Counter, Gauge, type Registry } from 'prom-client'

/** Reads a value when the metrics are scraped. Null when it is unknown at the moment. */
type ReadValue = () => number | null

export function addGauges(
  registry: Registry,
  gauges: Readonly<Record<string, readonly [help: string, look: ReadValue]>>,
  aggregator: 'sum' | 'min' | 'max' = 'sum',
): void {
  for (const [name, [help, look]] of Object.entries(gauges))
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        const value = look()
        if (value === null) this.remove()
        else this.set(value)
      },
    })
}

/** A counter whose value is kept elsewhere. */
export const addTotal = (registry: Registry, name: string, help: string, look: () => number) =>
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(look())
    },
  })
