import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  chosenOrSelected,
  emptyList,
  isToBegin,
  type ListAction,
  type ListState,
  listReducer,
  marksOf,
  selectedLine,
  windowStart,
} from './list-state.ts'

const ids = ['a', 'b', 'c', 'd']
const run = (...actions: readonly ListAction[]) => actions.reduce<ListState>(listReducer, emptyList)
const move = (by: number): ListAction => ({ type: 'move', by, ids })

test.each([
  [[move(1)], 1],
  [[move(-1)], 0],
  [[move(99)], 3],
  [[move(2), move(-1)], 1],
  [[{ type: 'wrap', by: -1, ids }], 3],
  [[{ type: 'wrap', by: 1, ids }, move(3), { type: 'wrap', by: 1, ids }], 0],
] as [ListAction[], number][])('%j ends on line %i', (actions, line) =>
  expect(selectedLine(run(...actions), ids)).toBe(line),
)

test('the selection is a thing: it stays when lines come and go around it', () => {
  const state = run(move(2))
  expect(selectedLine(state, ['x', 'y', 'a', 'c'])).toBe(3)
})

test('the first thing is selected as soon as it is listed, and stays when others come before it', () => {
  expect(isToBegin(emptyList, [])).toBe(false)
  expect(isToBegin(emptyList, ids)).toBe(true)
  const begun = run({ type: 'begin', ids })
  expect(isToBegin(begun, ['new', ...ids])).toBe(false)
  expect(selectedLine(begun, ['new', ...ids])).toBe(1)
  expect(isToBegin(begun, ['others'])).toBe(true)
})

test('when the selected thing has gone, the one in its place is selected, and stays when others come before it', () => {
  const moved = run(move(1))
  expect(isToBegin(moved, ['a', 'c'])).toBe(true)
  const begun = listReducer(moved, { type: 'begin', ids: ['a', 'c'] })
  expect(selectedLine(begun, ['new', 'a', 'c'])).toBe(2)
  // The user's own place, which no filter gives up.
  expect(listReducer(begun, { type: 'set-filter', text: 'x' }).selected).toBe('c')
  expect(listReducer(emptyList, { type: 'begin', ids }).isInitial).toBe(true)
})

test('a match that was kept before the answer came gives way to what the answer has', () => {
  const typed = run({ type: 'type-filter' }, { type: 'set-filter', text: 'role:admin' })
  const kept = listReducer(typed, { type: 'keep-filter', ids })
  expect(isToBegin(kept, ids)).toBe(false)
  expect(isToBegin(kept, ['d'])).toBe(true)
})

test('what nobody chose gives way to the best match, and nothing is chosen while a filter is typed', () => {
  const typed = run({ type: 'begin', ids }, { type: 'type-filter' }, { type: 'set-filter', text: 'x' })
  expect(selectedLine(typed, ['d', 'a'])).toBe(0)
  expect(isToBegin(typed, ['d', 'a'])).toBe(false)
  expect(isToBegin(listReducer(typed, { type: 'clear-filter' }), ids)).toBe(true)
})

test('when the selected thing goes, the line stays, inside what is left', () => {
  const state = run(move(3))
  expect(selectedLine(state, ['a', 'b', 'c'])).toBe(2)
  expect(selectedLine(state, [])).toBe(0)
})

test('marks go with their things, and without any the selected one is chosen', () => {
  const marked = run({ type: 'mark', ids }, { type: 'mark', ids })
  expect(chosenOrSelected(marked, ids)).toEqual(['a', 'b'])
  expect(chosenOrSelected(marked, ['b', 'z'])).toEqual(['b'])
  expect(chosenOrSelected(run(move(1)), ids)).toEqual(['b'])
  expect(chosenOrSelected(emptyList, [])).toEqual([])
  expect(chosenOrSelected(listReducer(marked, { type: 'unmark' }), ids)).toEqual(['c'])
})

test('marks that a filter hides count too, and stay when the matches are marked', () => {
  const marked = run({ type: 'mark', ids })
  expect(chosenOrSelected(marked, ['c', 'd'], ids)).toEqual(['a'])
  const all = listReducer(marked, { type: 'mark-all', ids: ['c', 'd'] })
  expect(chosenOrSelected(all, ['c', 'd'], ids)).toEqual(['a', 'c', 'd'])
  expect([...listReducer(all, { type: 'mark-all', ids: ['c', 'd'] }).marks]).toEqual(['a'])
  expect([...listReducer(all, { type: 'mark-others', ids: ['b', 'c'] }).marks].toSorted()).toEqual(['a', 'b', 'd'])
})

test('a mark set twice is taken away', () => {
  expect(run({ type: 'mark', ids: ['a'] }, { type: 'mark', ids: ['a'] }).marks.size).toBe(0)
})

test('a range goes from where it began to the selection, either way, and is marked by its key or by space', () => {
  const made = run(move(2), { type: 'mark-range', ids }, move(-1))
  expect([...marksOf(made, ids)]).toEqual(['b', 'c'])
  expect(chosenOrSelected(made, ids)).toEqual(['b', 'c'])
  for (const type of ['mark-range', 'mark'] as const) {
    const kept = listReducer(listReducer(made, { type, ids }), move(-1))
    expect([...marksOf(kept, ids)]).toEqual(['b', 'c'])
  }
  expect(marksOf(listReducer(made, { type: 'unmark' }), ids).size).toBe(0)
  // The item where the range began may be gone.
  expect(marksOf(made, ['a', 'b']).size).toBe(0)
})

test('all are marked, or none, or the others', () => {
  const all = run({ type: 'mark-all', ids })
  expect([...all.marks]).toEqual(ids)
  expect(listReducer(all, { type: 'mark-all', ids }).marks.size).toBe(0)
  const others = run({ type: 'mark', ids }, { type: 'mark-others', ids })
  expect([...others.marks]).toEqual(['b', 'c', 'd'])
})

test('the order goes on column by column and back to that of the service, and turns', () => {
  const next: ListAction = { type: 'sort', columns: 2 }
  const sorts = [run(next), run(next, next), run(next, next, next), run(next, { type: 'turn-sort' })]
  expect(sorts.map(({ sort }) => sort)).toEqual([
    { column: 0, isDown: false },
    { column: 1, isDown: false },
    undefined,
    { column: 0, isDown: true },
  ])
})

test('a new thing is selected, wherever it stands', () => {
  expect(selectedLine(run(move(3), { type: 'greet', id: 'b', isHidden: false }), ids)).toBe(1)
})

test('a filter is typed, kept, and cleared', () => {
  const typed = run({ type: 'type-filter' }, { type: 'set-filter', text: 'fire' })
  expect(typed).toMatchObject({ isTyping: true, filter: 'fire' })
  expect(listReducer(typed, { type: 'keep-filter', ids })).toMatchObject({ isTyping: false, filter: 'fire' })
  expect(listReducer(typed, { type: 'clear-filter' })).toMatchObject({ isTyping: false, filter: '' })
})

test('the first match is selected if the selected item does not match, and stays selected once the filter is kept', () => {
  const typed = run(move(3), { type: 'type-filter' }, { type: 'set-filter', text: 'b or c' })
  expect(selectedLine(typed, ['b', 'c'])).toBe(0)
  expect(selectedLine(typed, ['b', 'd'])).toBe(1)
  const kept = listReducer(typed, { type: 'keep-filter', ids: ['b', 'c'] })
  expect(selectedLine(listReducer(kept, { type: 'clear-filter' }), ids)).toBe(1)
  expect(selectedLine(listReducer(typed, { type: 'clear-filter' }), ids)).toBe(3)
})

test('the window always shows the selected line and never more than there is', () => {
  const sizes = { count: fc.integer({ min: 0, max: 200 }), height: fc.integer({ min: 1, max: 50 }), at: fc.nat(199) }
  fc.assert(
    fc.property(fc.record(sizes), ({ count, height, at }) => {
      const line = Math.max(0, Math.min(at, count - 1))
      const start = windowStart(line, height, count)
      expect(start).toBeGreaterThanOrEqual(0)
      expect(start).toBeLessThanOrEqual(Math.max(0, count - height))
      expect(count === 0 || (line >= start && line < start + height)).toBe(true)
    }),
  )
})
