import { expect, test } from 'vitest'
import { ownTrail } from '../../flows/account/activity.ts'
import { serviceTrail } from '../../flows/audit/list.ts'
import { type ShellAction as Action, type Overlay, screenKeyOf, shellReducer, startShell } from './shell-state.ts'

const run = (...actions: readonly Action[]) => actions.reduce(shellReducer, startShell('home', false))
const screens = (...actions: readonly Action[]) => run(...actions).stack.map(({ screen }) => screen)

const help: Overlay = { kind: 'help', scope: 'home', disabledReasons: {} }
const picker: Overlay = { kind: 'picker', title: 'Work in', choices: [] }
const secret: Overlay = { kind: 'secret', sentence: 'Created the key', secret: 'pst_1' }
const other: Overlay = { ...secret, secret: 'pst_2' }
const task = { title: 'Sign in', url: 'http://localhost', until: 0 }
const waiting: Overlay = { kind: 'waiting', task, note: undefined, onCancel: () => {} }
const noted: Overlay = { ...waiting, note: 'retrying' }

const show = (overlay: Overlay): Action => ({ type: 'show', overlay })
const tell = (overlay: Overlay): Action => ({ type: 'tell', overlay, isKept: () => false })
const close: Action = { type: 'close' }

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
    { type: 'show', overlay: help },
    { type: 'go', path: [{ screen: 'requests' }] },
  )
  expect(state).toMatchObject({ stack: [{ screen: 'requests' }], overlays: [] })
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

test.each<[string, readonly Action[], readonly Overlay[]]>([
  ['what comes meanwhile waits behind it', [show(secret), show(help), show(other)], [secret, help, other]],
  ['what is told unasked is not told', [show(secret), tell(help)], [secret]],
  ['going back leaves it', [show(secret), { type: 'back' }], [secret]],
  ['going elsewhere leaves it', [show(secret), { type: 'go', path: [{ screen: 'orgs' }] }], [secret]],
  ['its own close takes it away and shows the next', [show(secret), show(help), close], [help]],
])('a secret that is shown once stays: %s', (_, actions, overlays) => {
  expect(run(...actions).overlays).toEqual(overlays)
})

test.each<[string, readonly Action[], readonly Overlay[]]>([
  ['comes back after what covered it', [show(help), close], [waiting]],
  ['is updated where it is', [show(help), { type: 'replace', shown: waiting, overlay: noted }], [help, noted]],
  ['ends alone', [show(help), { type: 'close', overlay: waiting }], [help]],
  ['is not brought back by news', [close, { type: 'replace', shown: waiting, overlay: noted }], []],
  ['stays while the screens change', [{ type: 'back' }], [waiting]],
])('work that waits for a browser %s', (_, actions, overlays) => {
  expect(run(show(waiting), ...actions).overlays).toEqual(overlays)
})

test('any other overlay takes the place of the one before', () => {
  expect(run(show(help), show(picker)).overlays).toEqual([picker])
})

test('the filter and place of one trail are not those of another', () => {
  const trails = [ownTrail, serviceTrail(), serviceTrail({ id: '1', email: 'bob@example.com' })]
  expect(new Set(trails.map((trail) => screenKeyOf({ screen: 'trail', trail }))).size).toBe(trails.length)
})
