import { describe, expect, test } from 'vitest'
import { signUp } from '../testing/own-service.ts'
import { acmeAt, openAcme, tabTo } from './testing/acme.ts'
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
    await ui.shows('Updated')
    ui.press(':q\r')
    await ui.settled()
    expect(ui.ended()).toBe('quit')
  })

  test(': finds organizations, accounts and members by name', async () => {
    const { machine } = await acmeAt(screens.own)
    const ui = screens.open(machine)
    await ui.shows('Ada Lovelace')
    await machine('org use acme')
    await machine('key create deploy --role member')
    ui.press('R')
    await ui.shows('·  Acme')
    ui.press(':')
    await ui.shows('Command')
    ui.press('deploy')
    await ui.shows('member of Acme  machine')
    ui.press('\u0015')
    ui.press('eve')
    await ui.shows('member of Acme  eve@example.com')
    ui.press('enter')
    await ui.shows('Eve Moss')
    ui.press(':acm\r')
    await ui.shows('[Members')
    expect(await ui.shows('Orgs › Acme ')).not.toContain('Eve Moss ›')
    ui.press(':settings\r')
    await ui.shows('[Settings')
    ui.press('tab')
    await ui.shows('[Members')
    ui.press(':settings\r')
    expect(await ui.shows('[Settings')).toContain('Orgs › Acme ')
    ui.press(':')
    await ui.shows('Command')
    ui.press(ada)
    expect(await ui.shows('account  http')).toContain(ada)
  })

  test(': finds each member, however many, and what is of the organization that is looked at', async () => {
    const acme = await acmeAt(screens.own)
    const { sql } = screens
    await sql`insert into users (id, name, email) select 'u' || n, 'Kim ' || n, n || '@example.com' from generate_series(1, 130) n`
    await sql`insert into members (id, organization_id, user_id) select id, ${acme.id}, id from users where name like 'Kim %'`
    await acme.machine('org create Beta --slug beta')
    const ui = await openAcme(screens, acme)
    await ui.shows('·  Beta')
    ui.press(':')
    await ui.shows('Command')
    ui.press('kim 13')
    await ui.shows('Kim 130')
    expect(await ui.shows('Kim 13 ')).toContain('member of Acme')
    ui.press('esc', ':settings\r')
    expect(await ui.shows('[Settings')).toContain('Orgs › Acme ')
  })

  test(': finds what the menu of the screen alone does, what ends something last', async () => {
    const ui = await start({ screen: 'profile' })
    await ui.shows('Member since')
    ui.press(':change pass')
    await ui.shows('postern account password set')
    ui.press('enter')
    await ui.shows('New password')
    ui.press('esc', '3')
    await ui.shows('this one')
    ui.press(':')
    await ui.shows('Command')
    ui.press('re')
    expect(await ui.shows(' Requests  ')).not.toContain('postern session revoke')
    ui.press('vo')
    expect(await ui.hides(' Requests  ')).toContain('postern session revoke --all')
  })

  test(': finds what one can do with the own account wherever one is, and comes back to there', async () => {
    const ui = await start({ screen: 'sessions' })
    await ui.shows('this one')
    ui.press(':change pass')
    await ui.shows('postern account password set')
    ui.press('enter')
    await ui.shows('New password')
    ui.press('esc', ':create an org\r')
    await ui.shows('postern org create NAME')
    ui.press('Acme', 'enter', 'enter', 'enter', 'enter')
    await ui.shows('Created')
    await ui.shows('this one')
    ui.press(':sign out')
    await ui.shows('postern sign-out --account ada@example.com')
    ui.press('enter')
    await ui.shows(`Sign ${ada} out on this machine?`)
    ui.press('n')
    await ui.shows('this one')
    expect(screens.writes()).toEqual(['POST /organization/create'])
  })

  test(': finds what can be done in the active organization, by those who may', async () => {
    const { machine } = await acmeAt(screens.own, 'member')
    await machine('org use acme')
    const ui = screens.open(machine, { screen: 'sessions' })
    await ui.shows('·  Acme')
    ui.press(':invite')
    await ui.shows('your role (member) lacks invitation:create')
    ui.press('enter')
    await ui.shows('Invite somebody (Acme): your role (member) lacks invitation:create')
    ui.press('esc', ':leave')
    await ui.shows('postern org leave acme')
    ui.press('enter')
    await ui.shows('Leave Acme (acme)?')
    ui.press('y')
    await ui.shows('Left Acme (acme)')
    await ui.shows('You are in no organization yet')
    ui.press(':leave')
    await ui.shows('Nothing matches')
    expect(screens.writes()).toEqual(['POST /organization/leave'])
  })

  test(': offers nothing of another organization where one is in the one on the screen no more', async () => {
    const acme = await acmeAt(screens.own, 'admin')
    await acme.machine('org create Beta --slug beta')
    const ui = await openAcme(screens, acme)
    await ui.shows('·  Beta')
    await screens.sql`delete from members where organization_id = ${acme.id} and user_id = (select id from users where email = ${ada})`
    ui.press('R')
    await ui.shows('not a member')
    const offered = async () => {
      ui.press(':')
      await ui.shows('Command')
      ui.press('leave')
      const frame = await ui.shows(': leave ')
      ui.press('esc')
      await ui.hides('Command')
      return frame.match(/Nothing matches|org leave \w+/)?.[0]
    }
    // The screen and the current organization come in different answers.
    await expect.poll(offered).not.toBe('org leave acme')
    expect(await offered()).toBe('Nothing matches')
  })

  test(': puts what takes something of the account away behind what the screen is about', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own))
    await tabTo(ui, 'Settings')
    ui.press(':')
    await ui.shows('Command')
    ui.press('del')
    const frame = await ui.shows('Delete the account with a link')
    expect(frame.indexOf('Delete the organization')).toBeLessThan(frame.indexOf('Delete the account'))
  })

  test(': tells of a key what it does, and to whom', async () => {
    const ui = await start({ screen: 'accounts' })
    await ui.shows('current')
    ui.press(':')
    await ui.shows('Command')
    ui.press('sign out')
    await ui.shows('D  postern sign-out --account ada@example.com')
    ui.press('esc', 'G', ':')
    await ui.shows('Command')
    ui.press('sign out')
    await ui.shows('no account is selected')
    expect(await ui.hides('sign up')).toMatch(/❯ Sign out +postern sign-out --account ada@example.com/)
  })

  test(': reads the organization once, until something was done or asked anew', async () => {
    const { machine } = await acmeAt(screens.own)
    await machine('org use acme')
    const ui = screens.open(machine, { screen: 'sessions' })
    await ui.shows('·  Acme')
    // Without focus nothing is polled, so no poll adds a request.
    ui.press('\u001b[O')
    const readings = () => screens.own.asked.filter((call) => call === 'GET /organization/get-full-organization').length
    const find = async (name: string, hint: string) => {
      ui.press(':')
      await ui.shows('Command')
      ui.press(name)
      await ui.shows(hint)
      ui.press('esc')
      await ui.hides(hint)
    }
    for (const name of ['eve', 'bob']) await find(name, 'member of Acme')
    const before = readings()
    await find('eve', 'member of Acme')
    await find('inv', 'postern invitation create')
    expect(readings()).toBe(before)
    ui.press('R')
    const later = async () => {
      await find('eve', 'member of Acme')
      return readings()
    }
    await expect.poll(later, { interval: 0 }).toBe(before + 1)
  })

  test(': lists what the screen has in its own menu once, by the words of that menu', async () => {
    const { machine } = await acmeAt(screens.own)
    await machine('org use acme')
    const ui = screens.open(machine, { screen: 'profile' })
    await ui.shows('·  Acme')
    ui.press(':')
    await ui.shows('Command')
    ui.press('edit')
    expect((await ui.shows('Edit the organization')).match(/Edit profile/g)).toHaveLength(1)
    ui.press('esc', 'esc', '5', 'enter')
    await ui.shows('[Members')
    ui.press(':settings\r')
    await ui.shows('[Settings')
    ui.press(':')
    await ui.shows('Command')
    ui.press('leave')
    expect((await ui.shows('postern org leave acme')).match(/Leave/g)).toHaveLength(1)
  })

  test(': changes nothing in read-only mode, and knows nobody’s acts while nobody is signed in', async () => {
    const ui = await start({ screen: 'sessions' })
    await ui.shows('this one')
    ui.press('!', ':change pass')
    await ui.shows('read-only')
    ui.press('enter')
    await ui.shows('Change the password: ')
    const nobody = screens.open(screens.own.machine())
    await nobody.shows('Sign in')
    nobody.press(':change pass')
    await nobody.shows('Nothing matches')
    expect(screens.writes()).toEqual([])
  })

  test('who was named for the run is whom it acts as, and nobody else', async () => {
    const machine = await signedIn(screens.own)
    await signUp(machine, bob, 'Bob Ross')
    const as = (account: string) =>
      screens.open(Object.assign(machine.bind(null), { env: { ...machine.env, POSTERN_ACCOUNT: account } }))
    await as(' ADA@example.com ').shows('Ada Lovelace')
    const nobody = await as('eve@example.com').shows('eve@example.com is not signed in here.')
    expect(nobody).not.toContain('Bob Ross')
    await screens.open(machine).shows('Bob Ross')
  })

  test('a reads the accounts of this machine anew, and offers one more', async () => {
    const machine = await signedIn(screens.own)
    const ui = screens.open(machine)
    await ui.shows('Ada Lovelace')
    await signUp(machine, bob, 'Bob Ross')
    ui.press('a')
    expect(await ui.shows(bob)).toContain('Switch account')
    ui.press('down', 'down', 'enter')
    expect(await ui.shows('› Sign in ')).toContain('Password')
  })
})
