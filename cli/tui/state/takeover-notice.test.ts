import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import type { TestPerson } from '../../testing/own-service.ts'
import type { Pty, PtyOptions } from '../../testing/pty.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let opened: Pty[] = []
let ada: TestPerson
let bob: TestPerson
beforeEach(async () => {
  ada = await adminOf(screens.own)
  bob = await screens.own.person('Bob')
})
afterEach(() => {
  for (const pty of opened) pty.close()
  opened = []
})

async function open(options: PtyOptions = {}): Promise<Pty> {
  const pty = startTui({ ...options, env: ada.env })
  opened.push(pty)
  await pty.shows('online')
  await pty.shows('Admin')
  return pty
}

describe.each(sizesToStart)('at %i×%i', (columns, rows) => {
  test('a second terminal is told who it acts as until it is acknowledged, and runs no key typed before', async () => {
    const [first, second] = [await open({ columns: 120, rows: 40 }), await open({ columns, rows })]
    second.type('4')
    await second.shows('edit')
    second.type('e')
    await second.shows('Name')
    first.type('6')
    await first.shows(bob.email)
    first.type('/bob\r\r')
    await first.shows('Impersonate')
    first.type(':impersonate\r')
    await first.shows('Act as')
    first.type('y')
    await first.shows('IMPERSONATING')
    const notice = (await second.shows('Another terminal')).replaceAll(/[│\s]+/g, ' ')
    expect(notice).toContain(`IMPERSONATING ${bob.email}`)
    expect(notice).toContain('Another terminal on this machine')
    second.type('Robert\r\rq:quit\r')
    second.type('\u001b')
    await second.hides('Another terminal')
    const after = await second.screen()
    expect(after.split('\n')[0]).toContain(`IMPERSONATING ${bob.email}`)
    expect(after).not.toContain('Robert')
    expect((await bob('whoami --json=name')).json).toEqual({ name: 'Bob' })
  })
})

test('what a command begins and ends is told as well', async () => {
  const pty = await open()
  await ada(`admin user impersonate ${bob.email}`)
  expect(await pty.shows('Another terminal')).toContain(`IMPERSONATING ${bob.email}`)
  pty.type('\u001b')
  await pty.hides('Another terminal')
  await ada('admin impersonation stop')
  expect(await pty.shows('Another terminal')).toContain(`You are ${ada.email} again`)
  pty.type('\u001b')
  await pty.hides('Another terminal')
  expect((await pty.screen()).split('\n')[0]).not.toContain('IMPERSONATING')
})

test('whom one acts as is read in the narrowest window, however long the address is', async () => {
  const eve = await screens.own.person('Evechristophersonmontgomery')
  await ada(`admin user impersonate ${eve.email}`)
  const pty = startTui({ columns: 40, rows: 12, env: ada.env })
  opened.push(pty)
  const [line = ''] = (await pty.shows('IMPERSONATING')).split('\n')
  expect(line).toMatch(/IMPERSONATING eve\S*…\S*ample\.com/i)
})

test('in lines it is told as soon as it is known', async () => {
  const pty = startTui({ env: { ...ada.env, POSTERN_ACCESSIBLE: '1' } })
  opened.push(pty)
  await pty.shows('Number:')
  await ada(`admin user impersonate ${bob.email}`)
  pty.type('1\n')
  expect(await pty.shows('Another terminal on this machine')).toContain('IMPERSONATING')
})
