import { afterEach, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import type { Pty, PtyOptions } from '../../testing/pty.ts'
import { acmeAt, showAcme } from '../testing/acme.ts'
import { organizationsAt } from '../testing/kept.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart, windowSizes } from '../testing/window-sizes.ts'

// Four sizes in one terminal.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreens()
const startTui = useTui()
let pty: Pty | undefined
afterEach(() => pty?.close())

async function open(options: PtyOptions): Promise<Pty> {
  pty = startTui(options)
  return pty
}

test('an empty field has an example, a suggestion is replaced by typing, and a field is checked when it is left', async () => {
  const { env } = await signedIn(screens.own)
  const terminal = await open({ env })
  await terminal.shows('Ada Lovelace')
  terminal.type('5')
  await terminal.shows('You are in no organization yet')
  for (const [columns, rows] of [
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const) {
    terminal.resize(columns, rows)
    terminal.type('c')
    const empty = await terminal.shows('❯ Name')
    expect(empty).toMatch(/Logo URL +like https:/)
    expect(empty.split('\n')).toHaveLength(rows)
    terminal.type(`Acme ${columns}`)
    await terminal.shows(`acme-${columns}`)
    terminal.type('\t')
    await terminal.shows('❯ Slug')
    terminal.type('no slug\t')
    const left = await terminal.shows('A slug has')
    expect(left).toMatch(/ Slug +no slug/)
    expect(await terminal.shows('❯ Logo URL')).toContain('A slug has')
    terminal.type('\u001b[Z\u0015')
    await terminal.hides('A slug has')
    terminal.type(`slug-${columns}\t\t\r`)
    await terminal.shows(`Created Acme ${columns}`)
  }
  expect((await organizationsAt(screens.own)).map(({ slug }) => slug)).toEqual([
    'slug-120',
    'slug-200',
    'slug-40',
    'slug-80',
  ])
})

test('a text of thousands of letters is one change, whether a terminal marks it as pasted or not', async () => {
  const { env } = await signedIn(screens.own)
  const terminal = await open({ env })
  await terminal.shows('Ada Lovelace')
  terminal.type('4')
  await terminal.shows('Member since')
  terminal.type('e')
  await terminal.shows('❯ Name')
  const letters = Array.from({ length: 6000 }, (_, index) => index % 10).join('')
  for (const [columns, rows] of windowSizes) {
    terminal.resize(columns, rows)
    for (const [before, after] of [
      ['', ''],
      ['\u001b[200~', '\u001b[201~'],
    ]) {
      terminal.type('\u0015')
      await terminal.hides('Lovelace')
      const painted = () => terminal.raw().split('\u001b[?2026l').length
      const from = painted()
      terminal.type(`${before}<${letters}>${after}`)
      expect((await terminal.shows('789>')).split('\n')).toHaveLength(rows)
      expect(painted() - from).toBeLessThan(20)
      terminal.type('\u0001')
      const whole = await terminal.shows('Name      <0123456')
      // Only the largest window has room for the whole command.
      expect(columns < 200 || whole.replaceAll(/\s/g, '').includes(`<${letters}>`)).toBe(true)
    }
  }
})

test.each(sizesToStart)(
  'at %i×%i a draft survives esc until it is sent, but no password does',
  async (columns, rows) => {
    const { env } = (await acmeAt(screens.own)).machine
    const terminal = await open({ columns, rows, env })
    await showAcme(terminal)
    terminal.type('cnew@example.com')
    await terminal.shows('new@example')
    terminal.type('\u001b')
    await terminal.shows('Your draft is kept')
    terminal.type('c')
    expect(await terminal.shows('❯ Email')).toMatch(/Email +new@example/)
    terminal.type('\r\r\r')
    await terminal.shows('nvited new@example.com')
    terminal.type('c')
    expect(await terminal.shows('❯ Email')).not.toMatch(/Email +new@example/)
    expect(await screens.sql`select email from invitations`).toEqual([{ email: 'new@example.com' }])
    for (const shown of ['•••', '❯ Current password']) {
      terminal.type('\u001b4')
      await terminal.shows('❯ Edit profile')
      terminal.type(':change the password\r')
      await terminal.shows('❯ Current password')
      terminal.type(shown === '•••' ? 'secret words' : '')
      expect((await terminal.shows(shown)).includes('•••')).toBe(shown === '•••')
    }
  },
)

test.each(sizesToStart)('at %i×%i the cursor is in the field that was refused', async (columns, rows) => {
  const { env } = (await acmeAt(screens.own)).machine
  const terminal = await open({ columns, rows, env })
  await showAcme(terminal)
  terminal.type('\t\t\t\t')
  await terminal.shows('[Keys')
  terminal.type('c')
  await terminal.shows('❯ Name')
  terminal.type('deploy\r\r\r\r\r\r')
  expect(await terminal.shows('At least one role is')).toMatch(/❯ Roles/)
})
