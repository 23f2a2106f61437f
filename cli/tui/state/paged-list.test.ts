import { describe, expect, test } from 'vitest'
import type { PageStart } from '../../flows/paged.ts'
import { mostRows, PagedList } from './paged-list.ts'

interface Row {
  readonly id: string
  readonly text?: string
}

const rowsOf = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ id: `${from + at}` }))

/** A service with these rows, which gives three at once, and the starts that it was asked for. */
function service(rows: Row[], size = 3) {
  const asked: number[] = []
  let running = 0
  return {
    rows,
    asked,
    most: 0,
    async page({ offset }: PageStart) {
      asked.push(offset)
      running += 1
      this.most = Math.max(this.most, running)
      await Promise.resolve()
      running -= 1
      const end = offset + size
      const next = end < this.rows.length ? { value: String(end), flags: [] } : null
      return { items: this.rows.slice(offset, end), total: this.rows.length, next }
    },
  }
}

/** A list that has read so many pages of a service. */
async function readTo(pages: number, at = service(rowsOf(1, 10))) {
  const list = new PagedList<Row>()
  const read = (revision = 0, isStill = false) => list.read((start) => at.page(start), { revision, isStill })
  await read()
  for (let page = 1; page < pages; page += 1) {
    list.want()
    await read()
  }
  at.asked.length = 0
  return { list, at, read, ids: () => list.rows.items.map(({ id }) => Number(id)) }
}

test('it reads on at its end, and no further', async () => {
  const { list, ids } = await readTo(4)
  expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect([list.rows.isMore, list.rows.total, list.want()]).toEqual([false, 10, false])
})

test('a page that is wanted twice is read once, and never two at once', async () => {
  const { list, at, read, ids } = await readTo(1)
  expect([list.want(), list.want()]).toEqual([true, false])
  await Promise.all([read(), read(), read(1), read(1)])
  expect([at.most, at.asked]).toEqual([1, [3, 0, 0, 3, 0]])
  expect(ids()).toEqual([1, 2, 3, 4, 5, 6])
})

test('a beat reads the start only, and keeps the rest', async () => {
  const { list, at, read, ids } = await readTo(3)
  at.rows = [{ id: '0' }, { id: '1', text: 'changed' }, ...rowsOf(3, 10)]
  await read()
  expect([at.asked, ids()]).toEqual([[0], [0, 1, 3, 4, 5, 6, 7, 8, 9]])
  expect(list.rows.items[1]).toEqual({ id: '1', text: 'changed' })
})

test('nothing is read at a beat where the list stands still', async () => {
  const { at, read } = await readTo(2)
  await read(0, true)
  expect(at.asked).toEqual([])
})

test('after a change everything is read again, as far as it was read', async () => {
  const { at, read, ids } = await readTo(3)
  at.rows = rowsOf(1, 10).filter(({ id }) => id !== '8')
  await read(1)
  expect([at.asked, ids()]).toEqual([
    [0, 3, 6],
    [1, 2, 3, 4, 5, 6, 7, 9, 10],
  ])
})

test('where rows would be missing in between, everything is read again', async () => {
  const { at, read, ids } = await readTo(2)
  at.rows = [...rowsOf(101, 104), ...rowsOf(1, 10)]
  await read()
  expect([at.asked, ids()]).toEqual([
    [0, 0, 3],
    [101, 102, 103, 104, 1, 2],
  ])
})

test('rows that moved to another page are there once', async () => {
  const { list, at, read, ids } = await readTo(2)
  at.rows = [...rowsOf(101, 102), ...rowsOf(1, 10)]
  list.want()
  await read()
  expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7])
})

describe('a read that fails', () => {
  test('leaves what was read, and is repeated when it is wanted again', async () => {
    const { list, ids, read } = await readTo(2)
    list.want()
    const fault = list.read(() => Promise.reject(new Error('No answer')), { revision: 0, isStill: false })
    await expect(fault).rejects.toThrow('No answer')
    expect([ids(), list.isWanted]).toEqual([[1, 2, 3, 4, 5, 6], false])
    list.want()
    await read()
    expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

test('newer rows come first, and those that changed stay in their place', async () => {
  const { list, ids } = await readTo(1)
  await list.takeNewer([{ id: '0' }, { id: '2', text: 'again' }])
  expect([ids(), list.rows.items[2]]).toEqual([[0, 1, 2, 3], { id: '2', text: 'again' }])
})

describe('what is new while rows are read', () => {
  const newer: Row[] = [{ id: '0' }, { id: '2', text: 'again' }]

  test('stays in front of the page that is read on', async () => {
    const { list, read, ids } = await readTo(1)
    list.want()
    await Promise.all([read(), list.takeNewer(newer)])
    expect([ids(), list.rows.items[2]]).toEqual([[0, 1, 2, 3, 4, 5, 6], newer[1]])
  })

  test('stays when everything was asked for before it came', async () => {
    const { list, read, ids } = await readTo(2)
    await Promise.all([read(1), list.takeNewer(newer)])
    expect([ids(), list.rows.items[2]]).toEqual([[0, 1, 2, 3, 4, 5, 6], newer[1]])
  })

  test('stays when it came as the start, read again', async () => {
    const { list, read, ids } = await readTo(2)
    const start = { items: [{ id: '0' }, ...rowsOf(1, 2)], total: 11, next: { value: '3', flags: [] } }
    const [, isTaken] = await Promise.all([read(1), list.takeStart(start)])
    expect([isTaken, ids()]).toEqual([true, [0, 1, 2, 3, 4, 5, 6]])
  })
})

test('it holds so many rows and no more', async () => {
  const { list } = await readTo(4, service(rowsOf(1, mostRows + 5000), 5000))
  expect([list.rows.items.length, list.rows.isMore, list.want()]).toEqual([mostRows, false, false])
})
