import { afterEach, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { adminOf } from '../../testing/admin.ts'
import { fillMany } from '../../testing/many-rows.ts'
import type { Pty } from '../../testing/pty.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'

// One program is used in four sizes.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

const sizes = [
  [40, 12],
  [80, 24],
  [120, 40],
  [200, 50],
] as const

const selected = async () => /❯ +(\S+)/.exec(await pty.screen())?.[1]

test('users and a trail are read on at every size, and narrowed at the service', async () => {
  const ada = await adminOf(screens.own)
  await fillMany(screens.sql, 450, 450)
  pty = startTui({ env: ada.env })
  await pty.shows('you are in 0')
  pty.type('6')
  await pty.shows('100 of 451 users')
  let loaded = 100
  for (const [columns, rows] of sizes) {
    pty.resize(columns, rows)
    await pty.shows(`${loaded} of 451 users`)
    const last = `many${452 - loaded}@`
    pty.type('G')
    loaded = Math.min(loaded + 100, 451)
    await pty.shows(loaded === 451 ? '\n 451 users' : `${loaded} of 451 users`)
    // The selection stays where it was when the next page came.
    expect(await selected()).toContain(last)
  }
  pty.type('G')
  await expect.poll(selected).toContain('many1@')
  pty.type('/many44\r')
  await pty.shows('11 users with “many44”')
  expect(await pty.shows('--search many44 --field any')).toContain('11 of 11')

  pty.type('t')
  await pty.shows('the newest 100 events, more at the end')
  pty.type('G')
  await pty.shows('the newest 200 events')
  pty.type('/event:user-banned\r')
  expect(await pty.shows('9 events, newest first')).toContain('event:user-banned')
  pty.type('/ actor:ada@example.com\r')
  await pty.shows(' 0 events')
  pty.type('\u001b/actor:ada@example.com since:1h\r')
  await pty.shows('--since 1h')
  expect(await pty.shows('sign-up-done')).not.toContain('session-revoked')
  for (const [columns, rows] of sizes) {
    pty.resize(columns, rows)
    await pty.shows('since:1h ')
  }
  pty.type('C')
  await pty.shows('Copied the command: postern admin audit list --since 1h --actor ada@example.com')
  pty.type('\u001b/since:yesterday')
  await pty.shows('since must be a date')
  for (const [line, field, found] of [
    ['admin audit list --since 1h --actor ada@example.com', 'event', { event: 'sign-up-done' }],
    ['admin user list --search many44 --field any --sort -createdAt', 'name', { name: 'Many 449' }],
  ] as const)
    expect((await ada(`${line} --json=${field}`)).json).toHaveProperty('items', expect.arrayContaining([found]))
})
