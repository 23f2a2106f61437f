import type { RecordType } from '../../../shared/moving/records.ts'
import type { Driver } from '../../db/connect.ts'
import { findIds, type GivenRow, reasonsOfAny } from '../../db/moving/insert-rows.ts'
import type { LeftOut } from './check-item.ts'
import { nestedProblem } from './nested.ts'

/** What other records belong to by its id. */
const parents: readonly RecordType[] = ['user', 'organization', 'team']
export const isParent = (type: unknown): type is RecordType => parents.some((parent) => parent === type)

/** Ids of the source belong to others here: what belongs to them in the source would go to strangers. */
class StrangersError extends Error {
  override readonly name = 'StrangersError'
  constructor(found: readonly string[]) {
    const shown = found.slice(0, 5).join(', ')
    super(
      `Somebody else has these ids here: ${shown}${found.length > 5 ? ' and others' : ''}. What belongs to them in the source would go to strangers, so nothing of it was stored: move it into a service of its own, or give it other ids`,
    )
  }
}

/** Nobody has an id that cannot be stored. */
const canBeId = (id: string): boolean => nestedProblem(id) === null

/** Finds ids of a source that others have here. */
export class Strangers {
  readonly #own = new Map<RecordType, Set<string>>()
  readonly #isUpdating: boolean

  /** `isUpdating`: who is there with the same id is the same one, unless the record tells that it is not. */
  constructor(isUpdating: boolean) {
    this.#isUpdating = isUpdating
  }

  /** Rows that the source has stored, now or in an earlier run. */
  know(type: RecordType, rows: readonly { readonly id: string }[]): void {
    if (!isParent(type)) return
    const own = this.#own.get(type) ?? new Set()
    for (const { id } of rows) own.add(id)
    this.#own.set(type, own)
  }

  knows(type: RecordType, id: unknown): boolean {
    return this.#own.get(type)?.has(String(id)) ?? false
  }

  /** @throws StrangersError */
  async refuse(tx: Driver, left: readonly Pick<LeftOut, 'type' | 'id' | 'reason'>[]): Promise<void> {
    const found: string[] = []
    const telling = this.#isUpdating ? left.filter(({ reason }) => reason === 'STRANGER') : left
    for (const type of parents) {
      const ids = telling.flatMap((row) => (row.type === type && row.id !== null && canBeId(row.id) ? [row.id] : []))
      const unknown = ids.filter((id) => !this.#own.get(type)?.has(id))
      if (unknown.length > 0) found.push(...(await findIds(tx, type, unknown)).map((id) => `${type} ${id}`))
    }
    if (found.length > 0) throw new StrangersError(found)
  }

  /** The same for rows that are yet to be stored. */
  async refuseRows(tx: Driver, type: RecordType, rows: readonly GivenRow[]): Promise<void> {
    const reasons = await reasonsOfAny(tx, type, rows, this.#isUpdating)
    this.know(
      type,
      reasons.filter(({ reason }) => reason === 'PRESENT'),
    )
    await this.refuse(
      tx,
      reasons.flatMap(({ id, reason }) => (reason === 'PRESENT' ? [] : [{ type, id, reason }])),
    )
  }
}
