import { expect, test } from 'vitest'
import { type ShellAction, shellReducer, startShell } from './shell-state.ts'

type Action = ShellAction<string>
const run = (...actions: readonly Action[]) =>
  actions.reduce(shellReducer<string>, { ...startShell('home', false), overlay: undefined })
const screens = (...actions: readonly Action[]) => run(...actions).stack.map(({ screen }) => screen)

test('screens stack up, and back takes the last one away', () => {
  const opened: Action[] = [
    { type: 'go', path: [{ screen: 'sessions' }] },
    { type: 'open', route: { screen: 'session', subject: '1' } },
  ]
  expect(screens(...opened)).toEqual(['sessions', 'session'])
  expect(screens(...opened, { type: 'back' })).toEqual(['sessions'])
})

test('back at the top leads home, and from home nowhere', () => {
  expect(screens({ type: 'go', path: [{ screen: 'profile' }] }, { type: 'back' })).toEqual(['home'])
  expect(screens({ type: 'back' })).toEqual(['home'])
})

test('going to a screen starts a new stack and closes what lies over it', () => {
  const state = run(
    { type: 'open', route: { screen: 'session' } },
    { type: 'show', overlay: 'help' },
    { type: 'go', path: [{ screen: 'requests' }] },
  )
  expect(state).toMatchObject({ stack: [{ screen: 'requests' }], overlay: undefined })
})

test('a jump takes the whole path there, and begins anew where one is already', () => {
  const acme = { type: 'go', path: [{ screen: 'orgs' }, { screen: 'organization', subject: '1' }] } as const
  const [once, twice] = [run({ type: 'go', path: [{ screen: 'requests' }] }, acme), run(acme, acme)]
  expect(once.stack).toEqual(acme.path)
  expect(twice.stack).toEqual(acme.path)
  expect(twice.jumps).not.toBe(once.jumps)
})

test('only the notice that ran out of time is taken away', () => {
  const [old, young] = [
    { text: 'old', tone: 'plain' },
    { text: 'young', tone: 'plain' },
  ] as const
  const hush = { type: 'hush', isOver: (shown: object) => shown === old } as const
  expect(run({ type: 'say', toast: old }, { type: 'say', toast: young }, hush).toast).toBe(young)
  expect(run({ type: 'say', toast: old }, hush).toast).toBeUndefined()
})

test('read-only mode says so when it turns on and when it turns off', () => {
  expect(run({ type: 'toggle-read-only' })).toMatchObject({ isReadOnly: true, toast: { tone: 'warning' } })
  expect(run({ type: 'toggle-read-only' }, { type: 'toggle-read-only' })).toMatchObject({
    isReadOnly: false,
    toast: { tone: 'plain' },
  })
})
