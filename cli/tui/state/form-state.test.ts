import { expect, test } from 'vitest'
import { type FormAction, formReducer, startForm } from './form-state.ts'

const run = (...actions: readonly FormAction[]) => actions.reduce(formReducer, startForm({ name: '', email: 'x' }))

test('fields follow each other round, in both directions', () => {
  expect(run({ type: 'go', by: 1, count: 2 }, { type: 'go', by: 1, count: 2 }).at).toBe(0)
  expect(run({ type: 'go', by: -1, count: 2 }).at).toBe(1)
})

test('typing into a field takes its problem away, not those of others', () => {
  const state = run(
    { type: 'show-problems', problems: { name: 'needed', email: 'odd' }, at: 0 },
    { type: 'type', field: 'name', text: 'Ada' },
  )
  expect(state).toMatchObject({ values: { name: 'Ada', email: 'x' }, at: 0, option: 0 })
  expect(state.problems).toEqual({ email: 'odd' })
})

test('what is proposed stands until a person types there, also when they empty it', () => {
  const propose = (name: string): FormAction => ({ type: 'propose', texts: { name, email: 'y' } })
  expect(run(propose('ada')).values).toEqual({ name: 'ada', email: 'x' })
  const state = run(propose('ada'), { type: 'type', field: 'name', text: '' }, propose('ada-l'))
  expect(state.values).toEqual({ name: '', email: 'x' })
})
