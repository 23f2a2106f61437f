import { afterAll, expect, test, vi } from 'vitest'
import { joinLongAgo } from '../../../server/testing/rows.ts'
import { slack } from '../../../server/testing/slack.ts'
import type { Pty } from '../../testing/pty.ts'
import { acmeAt, inviteTo } from '../testing/acme.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'

// Four sizes in one terminal.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreens()
const startTui = useTui()
const ptys: Pty[] = []
afterAll(() => {
  for (const pty of ptys) pty.close()
})

async function openHome(env: Record<string, string>): Promise<Pty> {
  const terminal = startTui({ env })
  ptys.push(terminal)
  return terminal
}

test('home tells what happened lately, each line leads there, and a small window keeps what matters most', async () => {
  const acme = await acmeAt(screens.own)
  await inviteTo(acme, 'zoe@example.com')
  expect((await acme.machine('key create deploy --role member --org acme --expires 2d')).code).toBe(0)
  const terminal = await openHome(acme.machine.env)
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const) {
    terminal.resize(columns, rows)
    const lines = (await terminal.shows('in 14 days')).split('\n')
    expect(lines).toHaveLength(rows)
    expect(lines.find((line) => line.includes('Activity'))).toMatch(/Activity +▁{13}█ {2}\d+ events in 14 days/)
    await terminal.shows('1 waits for an answer, it ends in ')
    expect(lines.findIndex((line) => line.includes('Verify your address'))).toBeLessThan(
      lines.findIndex((line) => line.includes('Activity')),
    )
    expect(await terminal.shows('deploy')).toMatch(/deploy.*in (1 day|2 days|\d+ hours)/)
    terminal.type('gjjjjj\r')
    await terminal.shows('Home › Activity')
    terminal.type('\u001b')
    await terminal.hides('Home › Activity')
    terminal.type('j\r')
    await terminal.shows('Home › Acme')
    terminal.type('\u001b')
    await terminal.hides('Home › Acme')
    terminal.type('gj')
    await terminal.shows('❯ Key deploy expires')
    terminal.type('\r')
    await terminal.shows('Home › deploy')
    terminal.type('\u001b')
    await terminal.hides('Home › deploy')
  }
  terminal.resize(40, 12)
  terminal.type('g')
  await expect.poll(() => terminal.screen()).toContain('Verify your address')
  const small = await terminal.screen()
  expect(small.split('\n')).toHaveLength(12)
  expect(small).toContain('Key deploy expires')
  expect(small).not.toContain('Activity')
})

test('home tells who was not seen lately, and leads to these and then to all, in every size', async () => {
  const acme = await acmeAt(screens.own)
  for (const name of ['walt', 'xena']) await joinLongAgo(screens.service, acme.id, name)
  const terminal = await openHome(acme.machine.env)
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [200, 50],
    [40, 12],
  ] as const) {
    terminal.resize(columns, rows)
    if (columns === 40) {
      // A small window keeps what matters most. The list is found from the members.
      await terminal.hides('2 not seen for 30 days')
      terminal.type('5')
      await terminal.shows('❯ Acme')
      terminal.type('\r')
      await terminal.shows('[Members')
      terminal.type(':')
      await terminal.shows('Command')
      terminal.type('not seen\r')
    } else {
      await terminal.shows('2 not seen for 30 days')
      terminal.type('gjjjjj')
      await terminal.shows('❯ Members of Acme')
      terminal.type('\r')
    }
    const list = await terminal.shows('walt@example.com')
    expect(list.split('\n')).toHaveLength(rows)
    expect(list).toContain('Only members not seen for 30 days')
    expect(list).toContain('xena')
    expect(list).not.toContain('Bob Ross')
    terminal.type('\u001b')
    await terminal.shows('[Members')
    await terminal.shows('Bob Ross')
    terminal.type('\u001b')
    await terminal.hides('[Members')
  }
})
