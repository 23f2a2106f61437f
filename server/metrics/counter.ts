import type { Metric, Sample } from './exposition.ts'

/** Counts by labels. Whoever counts sees to it that their values are few: names of ours, never what somebody sent. */
export class Counter<Label extends string> implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #counts = new Map<string, Sample & { value: number }>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Readonly<Record<Label, string>>, amount = 1): void {
    const key = JSON.stringify(labels)
    const count = this.#counts.get(key)
    if (count) count.value += amount
    else this.#counts.set(key, { labels, value: amount })
  }

  samples(): Iterable<Sample> {
    return this.#counts.values()
  }
}
