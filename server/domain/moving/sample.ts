import type { RecordType } from '../../../shared/moving/records.ts'
import type { Driver } from '../../db/connect.ts'
import { differencesOf, type GivenRow } from '../../db/moving/insert-rows.ts'

/** Rows of each type that one transaction compares. */
const sampleSize = 50

/** Stored rows that are compared with the database, field by field, before their transaction ends. */
export class Sample {
  readonly #rows = new Map<RecordType, readonly GivenRow[]>()
  readonly #different: string[] = []
  #compared = 0

  /** The newest replace some of the older, so that the whole transaction is represented. */
  keep(type: RecordType, rows: readonly GivenRow[]): void {
    const again = new Set(rows.map(({ id }) => id))
    const kept = (this.#rows.get(type) ?? []).filter(({ id }) => !again.has(id))
    const step = Math.max(1, Math.floor(rows.length / 5))
    const merged = [...kept, ...rows.filter((_, index) => index % step === 0)]
    this.#rows.set(type, merged.length > sampleSize ? merged.filter((_, index) => index % 2 === 0) : merged)
  }

  /** What a transaction stored can change as soon as it has ended. */
  async compare(tx: Driver): Promise<void> {
    for (const [type, rows] of this.#rows) {
      this.#compared += rows.length
      if (rows.length > 0) this.#different.push(...(await differencesOf(tx, type, rows)))
    }
    this.#rows.clear()
  }

  get results(): { readonly compared: number; readonly different: readonly string[] } {
    return { compared: this.#compared, different: this.#different }
  }
}
