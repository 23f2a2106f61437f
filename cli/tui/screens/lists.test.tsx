import { expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { signUp } from '../../testing/own-service.ts'
import { acmeAt, openAcme, ownTeamsOnly, tabTo } from '../testing/acme.ts'
import { bob, signedIn } from '../testing/people.ts'
import type { Screen } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens(ownTeamsOnly)

/** The selected line. */
const selected = (ui: Screen): string => /❯.*/.exec(ui.frame())?.[0] ?? ''

/** Ada's session list with this many other browsers. */
async function sessions(browsers: number): Promise<Screen> {
  const ui = screens.open(await signedIn(screens.own, browsers), { screen: 'sessions' })
  await ui.shows('this one')
  return ui
}

test('filter, selection and marks are there again after a detail and after another screen', async () => {
  const ui = await sessions(12)
  ui.press('/', 'fox 1', 'enter', 'space', 'j')
  await ui.settled()
  await ui.shows('4 of 13   1 marked')
  expect(selected(ui)).toContain('Firefox 11')
  for (const [there, sign, back] of [
    ['enter', 'Sessions › Session', 'esc'],
    ['4', 'Member since', '3'],
  ] as const) {
    ui.press(there)
    await ui.shows(sign)
    ui.press(back)
    await ui.shows('/ fox 1')
    await ui.shows('4 of 13   1 marked')
    await expect.poll(() => selected(ui)).toContain('Firefox 11')
  }
})

test('marks that a filter hides are acted on with the others', async () => {
  const ui = await sessions(3)
  ui.press('/', 'fox 1', 'enter', 'space', '/')
  await ui.shows('1 marked')
  ui.press('\u0015', 'fox 2', 'enter', 'D')
  expect(await ui.shows('y yes')).toMatch(/Firefox 1/)
  ui.press('n', 'space')
  await ui.shows('2 marked')
  ui.press('D')
  expect(await ui.shows('y yes')).toMatch(/Firefox 1[^]*Firefox 2|Firefox 2[^]*Firefox 1/)
})

test('the tab of an organization and the place in it are there again, as well as the order', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own))
  ui.press('s', 'S', 'G')
  await ui.shows('Name ↓')
  await expect.poll(() => selected(ui)).toContain('Ada Lovelace')
  await tabTo(ui, 'Roles')
  ui.press('j', '5')
  await ui.hides('[Roles')
  ui.press('enter')
  await ui.shows('[Roles')
  await expect.poll(() => selected(ui)).toContain('admin')
  ui.press('tab', 'tab', 'tab')
  await ui.shows('[Members')
  await ui.shows('Name ↓')
  expect(selected(ui)).toContain('Ada Lovelace')
})

test('a row that comes first leaves the selection where it was, though nobody has moved it', async () => {
  const ada = await adminOf(screens.own)
  await screens.own.stranger('Bob')
  const ui = screens.open(ada, { screen: 'admin' })
  await ui.shows(bob)
  expect(selected(ui)).toContain(bob)
  await screens.own.stranger('Eve')
  ui.press('R')
  await ui.shows('eve@example.com')
  expect(selected(ui)).toContain(bob)
})

test('the row in the place of one that has gone stays selected when another one comes first', async () => {
  const ada = await adminOf(screens.own)
  for (const name of ['Bob', 'Carol']) await screens.own.stranger(name)
  const ui = screens.open(ada, { screen: 'admin' })
  await ui.shows(bob)
  ui.press('j')
  await expect.poll(() => selected(ui)).toContain(bob)
  await screens.sql`delete from users where email = ${bob}`
  ui.press('R')
  await ui.hides(bob)
  expect(selected(ui)).toContain('ada@example.com')
  await screens.own.stranger('Dave')
  ui.press('R')
  await ui.shows('dave@example.com')
  expect(selected(ui)).toContain('ada@example.com')
})

test('the newest request is selected until the user moves', async () => {
  const ui = await sessions(0)
  ui.press('7')
  await ui.shows('Took')
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  await ui.store.connect(screens.own.url).then(({ api }) => api.service.ok())
  await expect.poll(() => selected(ui)).toContain('GET /ok')
})

test('nothing of it stays for another account', async () => {
  const machine = await signUp(await signedIn(screens.own, 2), bob, 'Bob')
  const ui = screens.open(machine, { screen: 'accounts' })
  await ui.shows(bob)
  ui.press('3', '/', 'nothing like it', 'enter')
  await ui.shows('0 of 1')
  ui.press('a')
  await ui.shows('Switch account')
  ui.press('enter')
  await ui.shows('Switched to ada@example.com')
  expect(await ui.shows('Firefox 2')).not.toContain('nothing like it')
})

test('a filter names columns, and says how much is left of the whole', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own))
  ui.press('/')
  await ui.shows('3 of 3   also name: email: roles:')
  ui.press('role:owner')
  await ui.hides('Eve Moss')
  await ui.shows('2 of 3')
  ui.press(' bob', 'enter')
  await ui.shows('1 of 3')
  expect(selected(ui)).toContain('Bob Ross')
})

test('s sorts by one column after the other, S turns it, and the header tells', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own))
  const order = () => ui.frame().match(/(Ada|Bob|Eve)(?= (Lovelace|Ross|Moss))/g)
  ui.press('s', 'S')
  await ui.shows('Name ↓')
  expect(order()).toEqual(['Eve', 'Bob', 'Ada'])
  ui.press('s', 's')
  await ui.shows('Roles ↑')
  expect(order()).toEqual(['Eve', 'Ada', 'Bob'])
  ui.press('s', 's', 's')
  await ui.hides('↑ ')
  expect(order()).toEqual(['Ada', 'Bob', 'Eve'])
})

test('however often a refresh is asked for, one runs at a time, and the last finds every change', async () => {
  const ui = await sessions(3)
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  screens.own.asked.length = 0
  const asked = (call: string) => screens.own.asked.filter((one) => one === call).length
  const held = screens.own.hold('GET /list-sessions')
  ui.press('R')
  await held.answered
  ui.press(...Array.from({ length: 40 }, () => 'R'))
  await ui.settled()
  await screens.sql`delete from sessions where user_agent = 'Firefox 2'`
  expect(asked('GET /list-sessions')).toBe(1)
  held.release()
  expect(await ui.hides('Firefox 2')).toContain('Firefox 1')
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  expect([asked('GET /list-sessions'), asked('GET /get-session')]).toEqual([2, 2])
})

test('v marks a range, * the others, A all; escape takes the marks before it leaves', async () => {
  const ui = await sessions(3)
  ui.press('j', 'v', 'j', 'v', 'G')
  await ui.shows('2 marked')
  expect(ui.frame().match(/●  ?Firefox \d/g)).toEqual(['● Firefox 1', '● Firefox 2'])
  ui.press('*')
  await expect.poll(() => ui.frame().match(/● Firefox \d|● this one/g)).toEqual(['● this one', '● Firefox 3'])
  ui.press('A')
  await ui.shows('4 marked')
  ui.press('esc')
  await ui.hides('marked')
  expect(ui.frame()).toContain('Firefox 3')
})

test('what was just made is selected', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme)
  await tabTo(ui, 'Teams')
  for (const name of ['Zebra', 'Antelope']) {
    ui.press('c')
    await ui.shows('postern team create')
    ui.press(`${name}\r`)
    await ui.shows(`Created team ${name}`)
    await expect.poll(() => selected(ui)).toContain(name)
    ui.press('g')
    await ui.settled()
  }
  // A filter that would hide it is over.
  ui.press('/', 'zeb', 'enter')
  await ui.hides('Antelope')
  ui.press('c')
  await ui.shows('postern team create')
  ui.press('Ibis\r')
  await ui.shows('Created team Ibis')
  await expect.poll(() => selected(ui)).toContain('Ibis')
  ui.press('g')
  await ui.settled()
  // Selected only once: a user who has moved since is not moved again.
  ui.press('g', '4')
  await ui.shows('Member since')
  ui.press('5')
  await ui.shows('❯ ')
  ui.press('enter')
  await ui.shows('[Teams 3]')
  expect(selected(ui)).toContain(/❯ +(\S+)/.exec(ui.frame())?.[1] ?? '')
})

test('a menu shows the key of each act, which does it there too, over the list that it is about', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size: { columns: 120, rows: 30 } })
  ui.press('G', 'x')
  const frame = await ui.shows('Change roles')
  expect(frame).toMatch(/Change roles +r +postern member role set/)
  expect(frame).toMatch(/Remove .* D +postern member remove/)
  expect(frame).toContain('[Members 3]')
  ui.press('D')
  await ui.shows('Remove eve@example.com')
  ui.press('n', 'x')
  await ui.shows('Change roles')
  ui.press('r')
  await ui.shows('[x] member')
})

test('a notice is shown whole, however long its command is', async () => {
  const size = { columns: 50, rows: 24 }
  const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions', size })
  await ui.shows('this one')
  ui.press('j', 'D', 'y')
  const frame = await ui.shows('Revoked the session')
  const id = /session revoke ([0-9a-f-]{36})/.exec(frame.replaceAll(/\s+/g, ' '))?.[1]
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const lines = frame.split('\n')
  expect(lines).toHaveLength(23)
  expect(lines.at(-1)?.trim()).toBe(id)
  expect(frame).toContain('? help')
})

test('in the smallest window one sees what one types in place of a yes', async () => {
  const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions', size: { columns: 40, rows: 10 } })
  await ui.shows('this one')
  ui.press('x', 'G')
  await ui.shows('Revoke all')
  ui.press('down', 'down', 'enter')
  await ui.shows('Type ada@example.com to confirm')
  ui.press('ada@exam')
  await ui.shows(' ada@exam')
  ui.press('\r')
  expect(await ui.shows('This does not match')).toContain(' ada@exam')
})
