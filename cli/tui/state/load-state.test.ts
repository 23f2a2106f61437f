import { expect, test } from 'vitest'
import type { ShownError } from '../text/shown-error.ts'
import { type LoadAction, loadReducer, notLoaded, stateForOwner } from './load-state.ts'

const shownError: ShownError = { sentence: 'no', hint: undefined, status: 500, details: [] }
const run = (...actions: readonly LoadAction<string>[]) => actions.reduce(loadReducer<string>, notLoaded)

test('an answer to an earlier question than the last one is dropped', () => {
  const state = run(
    { type: 'start', turn: 1 },
    { type: 'start', turn: 2 },
    { type: 'done', turn: 2, data: 'new' },
    { type: 'done', turn: 1, data: 'old' },
  )
  expect(state).toMatchObject({ data: 'new', isLoading: false })
})

test('what was read stays while it is read again, and when that fails', () => {
  const loaded = run({ type: 'start', turn: 1 }, { type: 'done', turn: 1, data: 'kept' })
  const again = loadReducer(loaded, { type: 'start', turn: 2 })
  expect(again).toMatchObject({ data: 'kept', isLoading: true })
  expect(loadReducer(again, { type: 'failed', turn: 2, shownError })).toMatchObject({
    data: 'kept',
    isLoading: false,
    shownError,
  })
})

test('what nobody waits for is no loading, and a refusal takes away what was shown', () => {
  const loaded = run({ type: 'start', turn: 1 }, { type: 'done', turn: 1, data: 'kept' })
  const again = loadReducer(loaded, { type: 'start', turn: 2, isQuiet: true })
  expect(again).toMatchObject({ data: 'kept', isLoading: false })
  const after = (status: number | undefined) =>
    loadReducer(again, { type: 'failed', turn: 2, shownError: { ...shownError, status } }).data
  expect([undefined, 401, 429, 500, 503].map(after)).toEqual(Array(5).fill('kept'))
  expect([400, 403, 404].map(after)).toEqual(Array(3).fill(undefined))
})

test('what was read for one person is nobody else’s, before it is asked for them and after', () => {
  const hers = run({ type: 'start', turn: 1, owner: 'ada' }, { type: 'done', turn: 1, data: 'hers' })
  expect(stateForOwner('ada', hers)).toBe(hers)
  expect(stateForOwner('bob', hers)).toMatchObject({ data: undefined, isLoading: true })
  const his = loadReducer(hers, { type: 'start', turn: 2, owner: 'bob', isQuiet: true })
  expect(his).toMatchObject({ data: undefined, isLoading: true })
  expect(loadReducer(his, { type: 'failed', turn: 2, shownError }).data).toBe(undefined)
})

test('success takes an earlier failure away', () => {
  const state = run(
    { type: 'start', turn: 1 },
    { type: 'failed', turn: 1, shownError },
    { type: 'start', turn: 2 },
    { type: 'done', turn: 2, data: 'x' },
  )
  expect(state).toMatchObject({ data: 'x' })
  expect(state.shownError).toBeUndefined()
})
