import { afterEach, describe, expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import type { Pty } from '../../testing/pty.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

const lineOf = (frame: string, text: string) => frame.split('\n').find((line) => line.includes(text)) ?? ''

describe.each(sizesToStart)('at %i×%i', (columns, rows) => {
  const open = (env: Readonly<Record<string, string>>) => {
    pty = startTui({ columns, rows, env })
  }

  test('signed out, the palette finds the ways in', async () => {
    open(screens.own.machine().env)
    await pty.shows('signed out')
    pty.type(':sign')
    const found = await pty.shows(': sign')
    expect(found).toMatch(columns > 40 ? /❯ Sign in +postern sign-in/ : /❯ Sign in/)
    pty.type(' up')
    await pty.shows('❯ Create an account')
    pty.type('\r')
    await pty.shows('› Create an account')
  })

  test('it has what other screens offer, its hints say something or are not there, and the footer has the filter', async () => {
    open((await adminOf(screens.own)).env)
    await pty.shows('? help')
    pty.type('6')
    expect(await pty.shows('❯ ada@example.com')).toMatch(/\/ filter.*\? help/)
    for (const [typed, label] of [
      ['copy as', 'opy as command'],
      ['audit trail of', 'Audit trail of the service'],
      ['link', 'Link an account'],
      ['browser', 'Sign in with a browser'],
    ] as const) {
      pty.type(`:${typed}`)
      expect(lineOf(await pty.shows(label), label)).not.toMatch(/ .{0,8}…/)
      pty.type('\u001b')
      await pty.hides('Command')
    }
  })

  test('a number opens the same screen for everybody, or says why not', async () => {
    open((await signedIn(screens.own)).env)
    await pty.shows('Ada Lovelace')
    for (const [key, title, text] of [
      ['2', 'Accounts', '❯ ada@example.com'],
      ['3', 'Sessions', 'this one'],
      ['4', 'Profile', '❯ Edit profile'],
      ['5', 'Orgs', 'You are in no organization yet'],
      ['6', 'Orgs', 'Admin: only for users'],
      ['7', 'Requests', '❯ postern'],
      ['1', 'Home', 'Name '],
    ] as const) {
      pty.type(key)
      expect(await pty.shows(text)).toMatch(new RegExp(`^ ${title}`, 'm'))
    }
  })
})
