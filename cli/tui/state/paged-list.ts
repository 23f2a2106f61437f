import type { ListPart } from '../../flows/listing.ts'
import type { ReadPage } from '../../flows/paged.ts'

/** The rows of a list as far as it was read. */
export interface PagedRows<R> {
  readonly items: readonly R[]
  /** The total number; null if nobody counts. */
  readonly total: number | null
  /** More can be read at the end. */
  readonly isMore: boolean
}

/** The most rows that a list holds. A longer one has to be narrowed. */
export const mostRows = 10_000

interface PagedRead {
  /** Changes after every action and when the user asks for it. */
  readonly revision: number
  /** The start is not read again. */
  readonly isStill: boolean
}

interface Identified {
  readonly id: string
}

/**
 * A list that is read page by page. One read runs at a time, and what is taken in the meantime waits for it, since it
 * would be overwritten. What was read stays while the rows at its start are refreshed, so that nobody loses the place.
 */
export class PagedList<R extends Identified> {
  rows: PagedRows<R> = { items: [], total: null, isMore: false }
  /** Undefined before the first page, null after the last one. */
  #cursor: string | null | undefined
  #revision: number | undefined
  #isWanted = false
  #turn: Promise<unknown> = Promise.resolve()

  /** The next read goes on at the end. False if it was asked for already or there is no more. */
  want(): boolean {
    const isNew = this.rows.isMore && !this.#isWanted
    this.#isWanted ||= isNew
    return isNew
  }

  get isWanted(): boolean {
    return this.#isWanted
  }

  /** Whether the first page was read. */
  get isRead(): boolean {
    return this.#cursor !== undefined
  }

  /** Reads the next page if it is wanted, everything again after a change, and otherwise the start. */
  read(readPage: ReadPage<R>, { revision, isStill }: PagedRead): Promise<PagedRows<R>> {
    return this.#inTurn(async () => {
      if (!this.isRead || this.#revision !== revision) await this.#readAll(readPage)
      else if (this.#isWanted) await this.#readNext(readPage)
      else if (!isStill && !this.#takeStart(await readPage(start))) await this.#readAll(readPage)
      this.#revision = revision
      return this.rows
    })
  }

  /** Takes the first page, read again. False if rows would be missing between it and those that were read before. */
  takeStart(part: ListPart<R>): Promise<boolean> {
    return this.#inTurn(() => this.#takeStart(part))
  }

  /** Rows that are new or have changed, newest first. */
  takeNewer(newest: readonly R[]): Promise<void> {
    return this.#inTurn(() => this.#takeNewer(newest))
  }

  #takeStart({ items, total, next }: ListPart<R>): boolean {
    const before = this.rows.items
    const last = items.at(-1)?.id
    const at = before.findIndex(({ id }) => id === last)
    const isWhole = next === null || before.length === 0
    if (!isWhole && at < 0) return false
    if (isWhole) this.#cursor = next?.value ?? null
    this.#set(isWhole ? items : joined(items, before.slice(at + 1)), total)
    return true
  }

  #takeNewer(newest: readonly R[]): void {
    const [again, known] = [new Map(newest.map((one) => [one.id, one])), new Set(this.rows.items.map(({ id }) => id))]
    const kept = this.rows.items.map((one) => again.get(one.id) ?? one)
    this.#set([...newest.filter(({ id }) => !known.has(id)), ...kept], this.rows.total)
  }

  async #readNext(readPage: ReadPage<R>): Promise<void> {
    try {
      const { items } = this.rows
      const part = await readPage({ cursor: this.#cursor ?? undefined, offset: items.length })
      this.#cursor = part.next?.value ?? null
      this.#set(joined(items, part.items), part.total)
    } finally {
      this.#isWanted = false
    }
  }

  /** As many rows as there were, so that the selected one is found again. */
  async #readAll(readPage: ReadPage<R>): Promise<void> {
    const fresh = new PagedList<R>()
    fresh.#takeStart(await readPage(start))
    while (fresh.rows.isMore && fresh.rows.items.length < this.rows.items.length) await fresh.#readNext(readPage)
    this.rows = fresh.rows
    this.#cursor = fresh.#cursor
    this.#isWanted = false
  }

  #set(items: readonly R[], total: number | null): void {
    this.rows = { items: items.slice(0, mostRows), total, isMore: this.#cursor !== null && items.length < mostRows }
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }
}

const start = { cursor: undefined, offset: 0 } as const

/** Without the rows that are there already: a row moves to another page when others come or go. */
function joined<R extends Identified>(items: readonly R[], more: readonly R[]): readonly R[] {
  const known = new Set(items.map(({ id }) => id))
  return [...items, ...more.filter(({ id }) => !known.has(id))]
}
