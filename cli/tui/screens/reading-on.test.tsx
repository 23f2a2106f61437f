import { afterEach, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { adminOf } from '../../testing/admin.ts'
import { fillMany } from '../../testing/many-rows.ts'
import { signUp } from '../../testing/own-service.ts'
import type { Screen } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

vi.setConfig({ testTimeout: 60_000 * slack })

const screens = useScreens()
afterEach(() => void vi.restoreAllMocks())

const asked = (path: string): number => screens.own.asked.filter((line) => line.includes(path)).length
const selected = (ui: Screen): string | undefined => /❯ +(\S+)/.exec(ui.frame())?.[1]

/** The users of a service that has 251, as an administrator sees them. No beat reads anything. */
async function openUsers() {
  vi.spyOn(Math, 'random').mockReturnValue(1000)
  const ada = await adminOf(screens.own)
  await fillMany(screens.sql, 250, 0)
  const ui = screens.open(ada, { screen: 'admin' })
  await ui.shows('100 of 251 users')
  return { ada, ui }
}

test('a page is asked for once, however many keys ask for it, and the selection stays', async () => {
  const { ui } = await openUsers()
  const hold = screens.own.hold('GET /admin/list-users')
  ui.press('G', 'j', 'j', 'G', 'k')
  await hold.answered
  expect(await ui.shows('100 loaded, reading on…')).toContain('many153@')
  hold.release()
  await ui.shows('200 of 251 users')
  expect([asked('list-users'), selected(ui)]).toEqual([2, 'many153@example.com'])
})

test('no number is told before the service has answered, and when it does not', async () => {
  const ada = await adminOf(screens.own)
  const hold = screens.own.hold('GET /admin/list-users')
  const ui = screens.open(ada, { screen: 'admin' })
  expect(await ui.shows('Asking the service…')).toMatch(/^ *postern admin user list/m)
  hold.release()
  await ui.shows('1 user, newest first')
  screens.own.replace('GET /admin/list-audit-events', new Response(null, { status: 500 }))
  ui.press('t')
  expect(await ui.shows('status 500')).toMatch(/^ *postern admin audit list/m)
})

test('moving in the middle asks nothing, and at the end of all there is nothing to ask', async () => {
  const { ui } = await openUsers()
  ui.press('j', 'j', 'k')
  await ui.settled()
  expect(asked('list-users')).toBe(1)
  for (const sign of ['200 of 251 users', '\n 251 users']) {
    ui.press('G')
    await ui.shows(sign)
  }
  ui.press('G', 'j', 'j')
  await ui.settled()
  expect([asked('list-users'), selected(ui)]).toEqual([3, 'many1@example.com'])
})

test('what was read on is there again after another screen, and after a change', async () => {
  const { ada, ui } = await openUsers()
  ui.press('G')
  await ui.shows('200 of 251 users')
  ui.press('j')
  await ui.settled()
  expect(selected(ui)).toBe('many151@example.com')
  ui.press('4')
  await ui.shows('Member since')
  ui.press('6')
  await ui.shows('200 of 251 users')
  expect(selected(ui)).toBe('many151@example.com')
  await ada('admin user ban many151@example.com --yes')
  ui.press('R')
  expect(await ui.shows('banned')).toContain('200 of 251 users')
  expect(selected(ui)).toBe('many151@example.com')
})

test('the first match that the service has is selected, though the filter was kept before it answered', async () => {
  const { ui } = await openUsers()
  const ban = (email: string) => screens.sql`update users set banned = true where email = ${email}`
  await ban('many7@example.com')
  const held = screens.own.hold('GET /admin/list-users')
  ui.press('/', 'banned:yes', 'enter')
  await held.answered
  held.release()
  await ui.shows('1 user, newest first')
  await ban('many8@example.com')
  ui.press('R')
  await ui.shows('2 users, newest first')
  expect(selected(ui)).toBe('many7@example.com')
})

test('the place is there again when a filter that the service answered is given up', async () => {
  const { ui } = await openUsers()
  ui.press('j', 'j')
  await ui.settled()
  const place = selected(ui)
  ui.press('/', 'role:admin')
  await ui.shows('1 user, newest first')
  ui.press('esc')
  await ui.shows('100 of 251 users')
  expect(selected(ui)).toBe(place)
})

test('a failure is told, loses nothing, and the next key asks again', async () => {
  const { ui } = await openUsers()
  screens.own.replace('GET /admin/list-users', new Response(null, { status: 500 }))
  ui.press('G')
  expect(await ui.shows('status 500')).toContain('100 of 251 users')
  ui.press('j')
  await ui.shows('200 of 251 users')
  await ui.hides('status 500')
})

test('a page that was asked for as somebody else never joins the list', async () => {
  const { ada, ui } = await openUsers()
  await signUp(ada, 'bob@example.com', 'Bob')
  await screens.sql`update users set roles = '{admin}' where email = 'bob@example.com'`
  const hold = screens.own.hold('GET /admin/list-users')
  ui.press('G')
  await hold.answered
  ui.press('a')
  await expect.poll(() => ui.frame()).toMatch(/bob@example\.com +http/)
  ui.press('down', 'enter')
  expect(await ui.shows('Switched to bob@example.com')).toContain('bob@example.com')
  await ui.shows('100 of 252 users')
  hold.release()
  await ui.store.poll()
  await ui.settled()
  expect(ui.frame()).toContain('100 of 252 users')
  expect(selected(ui)).toBe('bob@example.com')
})

test('words that name a field are asked of the service, and shown with the command', async () => {
  const { ui } = await openUsers()
  ui.press('/', 'role:admin')
  const frame = await ui.shows('1 user, newest first')
  expect(frame).toContain('postern admin user list --role admin --sort -createdAt')
  ui.press('enter', 'x')
  await ui.shows('postern admin session list')
  ui.press(...Array.from({ length: 14 }, () => 'down'))
  await ui.shows('Copy the list as a command')
})
