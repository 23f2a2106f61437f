import { describe, expect, test } from 'vitest'
import { signUp } from '../testing/own-service.ts'
import { acmeAt } from './testing/acme.ts'
import { ada, bob, signedIn } from './testing/people.ts'
import type { RenderOptions, Screen } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })

const start = async (options?: RenderOptions): Promise<Screen> => screens.open(await signedIn(screens.own), options)

describe('by name', () => {
  test.each([
    ['acc', 'Accounts'],
    ['account', 'Accounts'],
    ['req', 'Requests'],
  ])(': %s and enter opens %s, and destroys nothing', async (typed, title) => {
    const ui = await start({ screen: 'profile' })
    await ui.shows('Member since')
    ui.press(`:${typed}\r`)
    await ui.hides('Member since')
    expect(await ui.shows(` ${title} `)).not.toContain('Your address')
    expect(screens.writes()).toEqual([])
  })

  test(':q quits, wherever one is', async () => {
    const ui = await start({ screen: 'sessions' })
    await ui.shows('this one')
    ui.press('enter')
    await ui.shows('Last used')
    ui.press(':q\r')
    await ui.settled()
    expect(ui.ended()).toBe('quit')
  })

  test(': finds organizations, accounts and members by name', async () => {
    const { machine } = await acmeAt(screens.own)
    const ui = screens.open(machine)
    await ui.shows('Ada Lovelace')
    await machine('org use acme')
    ui.press('R')
    await ui.shows('·  Acme')
    ui.press(':')
    await ui.shows('Command')
    ui.press('eve')
    await ui.shows('member of Acme  eve@example.com')
    ui.press('enter')
    await ui.shows('Eve Moss')
    ui.press(':acm\r')
    await ui.shows('[Members')
    ui.press(':settings\r')
    await ui.shows('[Settings')
    ui.press(':')
    await ui.shows('Command')
    ui.press(ada)
    expect(await ui.shows('account  http')).toContain(ada)
  })

  test('a reads the accounts of this machine anew, and offers one more', async () => {
    const machine = await signedIn(screens.own)
    const ui = screens.open(machine)
    await ui.shows('Ada Lovelace')
    await signUp(machine, bob, 'Bob Ross')
    ui.press('a')
    expect(await ui.shows('Act as')).toContain(bob)
    ui.press('down', 'down', 'enter')
    expect(await ui.shows('› Sign in ')).toContain('Password')
  })
})
