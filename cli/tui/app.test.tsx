import { describe, expect, test } from 'vitest'
import { signUp } from '../testing/own-service.ts'
import { browsersOf, sessionsOf } from './testing/kept.ts'
import { ada, bob, signedIn } from './testing/people.ts'
import { type RenderOptions, type Screen, unfolded } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens()

/** A terminal UI of Ada's, who is signed in from this many other browsers. */
const start = async (browsers: number, options?: RenderOptions): Promise<Screen> =>
  screens.open(await signedIn(screens.own, browsers), options)

describe('lists', () => {
  test('a long one scrolls, and says where it is', async () => {
    const ui = await start(60, { screen: 'sessions', size: { columns: 80, rows: 24 } })
    expect(await ui.shows('1–14 of 61')).not.toContain('Firefox 60')
    ui.press('G')
    expect(await ui.shows('Firefox 60')).toContain('48–61 of 61')
    expect(ui.frame().split('\n').length).toBeLessThan(24)
    ui.press('g')
    await ui.shows('1–14 of 61')
  })

  test('a filter narrows, n goes round, escape clears it before it leaves', async () => {
    const ui = await start(12, { screen: 'sessions' })
    await ui.shows('Firefox 12')
    ui.press('/', 'fox 1')
    await ui.hides('Firefox 2')
    expect(ui.frame()).toContain('Firefox 11')
    ui.press('enter', 'N')
    await ui.shows('❯  Firefox 12')
    ui.press('n')
    await ui.shows('❯  Firefox 1 ')
    ui.press('esc')
    expect(await ui.shows('Firefox 2')).toContain('Sessions')
    ui.press('esc')
    await ui.shows('Session ends')
  })

  test('typing a filter is typing: its letters are no keys', async () => {
    const ui = await start(2, { screen: 'sessions' })
    await ui.shows('Firefox 2')
    ui.press('/', 'qD1?')
    await ui.shows('Nothing matches')
    ui.press('esc')
    await ui.shows('Firefox 2')
    expect(ui.ended()).toBeUndefined()
  })
})

describe('keys that come before the list is there', () => {
  test('wait for it, and mean what they would mean then', async () => {
    const ui = await start(3, { screen: 'sessions' })
    ui.press('j', 'j', 'D')
    expect(unfolded(await ui.shows('Revoke this session?'))).toContain('Firefox 2')
  })

  test('answer no question about what nobody has seen yet', async () => {
    const held = screens.own.hold('GET /list-sessions')
    const ui = await start(3)
    ui.press('3', 'j', 'D', 'y')
    await ui.shows('Asking the service')
    held.release()
    expect(unfolded(await ui.shows('Revoke this session?'))).toContain('Firefox 1')
    await ui.settled()
    expect([ui.frame().includes('Revoke this session?'), screens.writes()]).toEqual([true, []])
    ui.press('y')
    await ui.shows('Revoked the session')
  })

  test('are dropped by escape, even where another key leads back', async () => {
    const machine = await signedIn(screens.own, 1)
    expect((await machine('config set tui.keys.back b')).code).toBe(0)
    const held = screens.own.hold('GET /list-sessions')
    const ui = screens.open(machine, { screen: 'sessions' })
    await ui.shows('Asking the service')
    ui.press('j', 'D', '\u001b[27u')
    await ui.settled()
    ui.press('b')
    held.release()
    await ui.shows('Session ends')
  })

  test('wait in the smallest window too, beside a spinner and the key that leaves', async () => {
    const held = screens.own.hold('GET /list-sessions')
    const ui = await start(1, { screen: 'sessions', size: { columns: 40, rows: 12 } })
    expect(await ui.shows('Asking…')).toMatch(/\S Asking… {3}keys wait, esc leaves/)
    held.release()
    await ui.shows('Firefox')
  })

  test('do nothing where it could not be loaded', async () => {
    const ui = await start(1, { screen: 'accounts' })
    await ui.shows('current')
    const body = new TransformStream<Uint8Array, Uint8Array>()
    screens.own.replace('GET /list-sessions', new Response(body.readable, { status: 403 }))
    ui.press('3', 'j', '4')
    await ui.shows('Asking the service')
    await body.writable.close()
    await ui.shows('tries again')
    await ui.settled()
    expect(ui.frame()).not.toContain('Member since')
    ui.press('4')
    await ui.shows('Member since')
  })

  test('do nothing in the list of another account', async () => {
    const machine = await signUp(await signedIn(screens.own, 2), bob, 'Bob Ross')
    const ui = screens.open(machine, { screen: 'accounts' })
    await ui.shows('current')
    const held = screens.own.hold('GET /list-sessions')
    ui.press('3', 'j', 'D')
    await ui.shows('Asking the service')
    const [account] = ui.store.state.accounts.filter(({ email }) => email === ada)
    if (!account) throw new Error('Ada is not signed in')
    await ui.store.accounts.choose(account)
    await ui.store.load()
    held.release()
    await ui.shows('Firefox 2')
    await ui.settled()
    expect(ui.frame()).not.toContain('Revoke this session?')
  })

  test('are a filter where a filter was begun, not keys', async () => {
    const ui = await start(3)
    ui.press('3', '/', 'fox 2q')
    await ui.shows('/ fox 2q')
    ui.press('backspace', 'enter')
    expect(await ui.shows('Firefox 2')).not.toContain('Firefox 3')
  })

  test('open what is there, and go no further than escape', async () => {
    const ui = await start(1)
    // The notice about the address is on top, although its data arrives last.
    ui.press('enter')
    await ui.shows('Invitations need a verified address')
    const other = await start(1, { screen: 'sessions' })
    other.press('j', 'D', '\u001b[27u', '4')
    expect(await other.shows('Member since')).not.toContain('Revoke')
  })
})

describe('read-only', () => {
  test('refuses every write with its reason, keeps it listed, and can be turned off', async () => {
    const ui = await start(1, { screen: 'sessions', size: { columns: 120, rows: 24 } })
    await ui.shows('Firefox 1')
    ui.press('!')
    expect(await ui.shows('Read-only: nothing will be changed')).toContain('·  read-only')
    ui.press('D')
    expect(await ui.shows('Revoke: read-only mode is on; ! turns it off')).not.toContain('Revoke this session?')
    expect(ui.frame()).toContain('D (revoke)')
    ui.press('x')
    expect(await ui.shows('Revoke all others')).toContain('read-only mode is on')
    ui.press('enter', 'esc', '4')
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Edit profile: read-only mode is on')
    expect(screens.writes()).toEqual([])
    ui.press('!')
    await ui.shows('Changes are allowed again')
    ui.press('3')
    await ui.shows('Firefox 1')
    ui.press('j', 'D', 'y')
    await ui.shows('Revoked the session')
    expect(screens.writes()).toEqual(['POST /revoke-session'])
    expect(await browsersOf(screens.own)).toHaveLength(1)
  })

  test('stays on when the whole run was started with it', async () => {
    const ui = await start(1, { screen: 'sessions', isReadOnly: true })
    await ui.shows('Firefox 1')
    ui.press('!')
    await ui.shows('start again without it')
    ui.press('D')
    expect(await ui.shows('Revoke: read-only mode is on')).toContain('·  read-only')
  })
})

describe('the frame', () => {
  test('? lists all keys of the screen, and : finds an action by name', async () => {
    const ui = await start(1)
    await ui.shows('Ada Lovelace')
    ui.press('?')
    await ui.shows('Keys of this screen')
    expect(ui.frame()).toMatch(/Lists[^]*Everywhere/)
    ui.press('G')
    expect(await ui.shows('quit at once')).not.toContain('This screen')
    ui.press('g')
    await ui.shows('This screen')
    ui.press('/', 'switch acc', 'enter')
    await ui.shows('a             switch account')
    ui.press('esc', 'esc', ':')
    await ui.shows('Command')
    ui.press('sess')
    await ui.hides('profile')
    ui.press('enter')
    await ui.shows('Firefox 1')
  })

  test('a paste does nothing on a list, and goes into a field as one line', async () => {
    const ui = await start(1, { screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('\u001b[200~D\ry\rq\u001b[201~', '\u001b[200~q\u001b[201~')
    ui.press('4')
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image URL')
    ui.press('\u001b[200~ of\nLondon\u001b[2J\n\u001b[201~')
    await ui.shows('Ada Lovelace of London[2J')
    expect(await browsersOf(screens.own)).toHaveLength(2)
    expect(screens.writes()).toEqual([])
    expect(ui.ended()).toBeUndefined()
  })

  test('q goes back one screen and quits at the top; Ctrl+C quits from anywhere', async () => {
    const ui = await start(1, { screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('enter')
    await ui.shows('Sessions › Session')
    ui.press('q')
    await ui.hides('Sessions › Session')
    expect(ui.ended()).toBeUndefined()
    ui.press('q')
    await expect.poll(ui.ended).toBe('quit')
    ui.press('4', 'e', '\u0003')
    await expect.poll(ui.ended).toBe('interrupted')
  })

  test('a service that is away is said so, and R tries again', async () => {
    const machine = await signedIn(screens.own)
    await machine('config set retries 0')
    await screens.own.goAway()
    const ui = screens.open(machine)
    expect(await ui.shows(`Nothing listens at ${screens.own.url}`)).toContain('✗ offline')
    await screens.own.comeBack()
    ui.press('R')
    await ui.shows('Ada Lovelace')
    await ui.shows('● online')
  })

  test.each([
    { columns: 120, rows: 40 },
    { columns: 80, rows: 24 },
    { columns: 60, rows: 15 },
    { columns: 59, rows: 14 },
    { columns: 40, rows: 10 },
  ])('fits a window of $columns by $rows on every screen', async (size) => {
    const ui = await start(50, { size })
    await ui.shows('Ada Lovelace')
    for (const key of ['1', '2', '3', '4', '5', '7']) {
      ui.press(key)
      const sign = {
        1: 'Home',
        2: 'Accounts',
        3: 'Firefox 1',
        4: 'Profile',
        5: 'no organization',
        // Ages grow longer on a busy machine and leave less room for the command.
        7: '❯ postern',
      }
      await ui.shows(Object.entries(sign).find(([name]) => name === key)?.[1] ?? '')
      const lines = ui.frame().split('\n')
      expect(lines).toHaveLength(size.rows - 1)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
      expect(ui.frame()).toContain('? help')
    }
  })

  test('what lies over the screen fits the smallest window too', async () => {
    const ui = await start(3, { screen: 'sessions', size: { columns: 40, rows: 10 } })
    await ui.shows('Firefox 1')
    const frames: string[] = []
    for (const [key, text] of [
      ['D', 'y yes   n no'],
      ['?', 'Keys of this screen'],
      ['x', 'Revoke all others'],
      [':', 'Command'],
    ] as const) {
      ui.press(key)
      frames.push(await ui.shows(text))
      ui.press('esc')
      await ui.hides(text)
    }
    for (const frame of frames) {
      const lines = frame.split('\n')
      expect(lines).toHaveLength(9)
      expect(lines[0]).toContain('postern')
      expect(lines[1]).toBe(' Sessions')
      expect(lines.at(-2)).toMatch(/^ (y yes|↑↓ move)/)
    }
    const [own] = await sessionsOf(screens.own)
    expect(unfolded(frames[0] ?? '')).toContain(`postern session revoke ${own?.id}`)
  })

  test('a window below the smallest says so, and recovers with everything kept', async () => {
    const ui = await start(1, { screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('j')
    await ui.shows('❯  Firefox 1')
    ui.resize({ columns: 39, rows: 24 })
    expect(await ui.shows('Too small: 39×24')).toContain('40×10')
    ui.resize({ columns: 100, rows: 24 })
    await ui.shows('❯  Firefox 1')
  })
})

test('hostile names are only text on every screen', async () => {
  const machine = await signedIn(screens.own)
  // Written to the database directly, since another service might send such text, which must have no effect on the
  // terminal.
  const { sql } = screens.service.deps
  const name = '\u001b[2J\u001b]0;owned\u0007\u001b]52;c;ZWNobw==\u0007Ada\rEve\u202ecod\u200b'
  const browser = '\u001b]8;;https://evil.example\u001b\\Fire\nfox\u009b2J'
  await Promise.all([sql`update users set name = ${name}`, sql`update sessions set user_agent = ${browser}`])
  const ui = screens.open(machine)
  await ui.shows('Ada\\u000dEve\\u{202e}cod')
  for (const [key, text] of [
    ['3', 'Device'],
    ['D', 'Fire\\nfox'],
    ['esc', 'Device'],
    ['enter', 'Fire\\nfox'],
    ['4', 'Ada\\u000d'],
    ['e', 'Ada\\u000d'],
  ]) {
    ui.press(key ?? '')
    await ui.settled()
    await ui.shows(text ?? '')
    expect(ui.frame().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  }
})
