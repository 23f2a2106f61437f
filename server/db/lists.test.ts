import { expect, it } from 'vitest'
import { keepRows } from './lists.ts'

const page = (next: number | null) => ({ rows: [{ id: 'o1' }, { id: 'o2' }], next })
const only =
  (...known: readonly string[]) =>
  async (ids: readonly string[]) =>
    ids.filter((id) => known.includes(id)).map((id) => ({ id }))

it('leaves a page of a replica as it is whose rows are all there', async () => {
  expect(await keepRows(page(2), only('o1', 'o2', 'o3'))).toEqual(page(2))
})

it('drops what is gone from the last page', async () => {
  expect(await keepRows(page(null), only('o2'))).toEqual({ rows: [{ id: 'o2' }], next: null })
})

it('drops nothing where another page follows, since that one would begin behind rows that nobody got', async () => {
  expect(await keepRows(page(2), only('o2'))).toBeUndefined()
})
