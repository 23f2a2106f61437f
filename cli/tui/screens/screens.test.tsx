import { describe, expect, test } from 'vitest'
import { canSignIn } from '../../../server/testing/mailed.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { signUp } from '../../testing/own-service.ts'
import { browsersOf, keptOn, peopleAt, sessionsOf } from '../testing/kept.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, signedIn, thisProgram } from '../testing/people.ts'
import { unfolded } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

describe('getting in', () => {
  test('a new person signs up and is at home', async () => {
    const machine = screens.own.machine()
    const ui = screens.open(machine)
    await ui.shows('Nobody is signed in here')
    ui.press('j', 'enter')
    await ui.shows('Create an account')
    ui.press('ada@example.com\r', 'Ada Lovelace\r')
    await ui.shows("postern sign-up --email ada@example.com --name 'Ada Lovelace'")
    ui.press('correct horse\r', 'correct house\r')
    expect(await ui.shows('This does not match the line above')).toMatch(/ Password +•{8} *\n/)
    expect(await peopleAt(screens.own)).toEqual([])
    ui.press('backspace', 'backspace', 'backspace', 'rse')
    expect(await ui.shows('•••••••••••••')).not.toContain('correct')
    ui.press('\u0012')
    await ui.shows('Repeat the password correct horse')
    ui.press('\u0012')
    expect(await ui.hides('correct')).not.toContain('Server')
    ui.press('\r')
    await ui.shows('Signed up and in as ada@example.com')
    await ui.shows('ada@example.com  (not verified)')
    const { service } = screens.own
    expect(await service.deps.sql`select name, email from users`).toEqual([{ name: 'Ada Lovelace', email: ada }])
    expect(await canSignIn(service, ada, 'correct horse')).toBe(true)
    expect(await keptOn(machine)).toEqual([`${ada} *`])
  })

  test('a wrong password is explained below its field, where nothing of it stays, and the rest is still there', async () => {
    const machine = screens.own.machine()
    await screens.service.person({ email: ada })
    const ui = screens.open(machine)
    await ui.shows('Nobody is signed in')
    ui.press('enter')
    await ui.shows('Email')
    ui.press('ada@example.com\r', 'wrong\r')
    expect(await ui.shows('Invalid email or password. Check both')).toMatch(/Email +ada@example.com\s+❯ Password *\n/)
    ui.press(testPassword)
    await ui.hides('Invalid')
    ui.press('\r')
    await ui.shows('Signed in as ada@example.com')
    expect(await keptOn(machine)).toEqual([`${ada} *`])
  })

  test('what the service refuses leads back to the field that it is about', async () => {
    const ui = screens.open(screens.own.machine())
    await ui.shows('Nobody is signed in')
    ui.press('j', 'j', 'j', 'enter')
    await ui.shows('❯ Provider')
    ui.press('gitlub\r')
    expect(await ui.shows('does not support sign-in with')).toMatch(/❯ Provider .* gitlub/)
  })

  test('what is wrong in a form is said beside its field, and nothing is sent', async () => {
    const ui = screens.open(screens.own.machine())
    await ui.shows('Nobody is signed in')
    ui.press('enter')
    await ui.shows('Email')
    ui.press('not an address\r\r')
    expect(await ui.shows('Password is needed')).toContain('An e-mail address looks like')
    expect(screens.writes()).toEqual([])
  })

  test('too short a password is told with the number that counts, below its field, and nothing else is lost', async () => {
    const ui = screens.open(screens.own.machine())
    await ui.shows('Nobody is signed in')
    ui.press('j', 'enter')
    await ui.shows('Create an account')
    ui.press('ada@example.com\r', 'Ada\r', 'short\r', 'short\r')
    expect(await ui.shows('Password too short. At least 8 characters')).toMatch(/❯ Password +•••••/)
    expect(ui.frame()).toMatch(/Name +Ada/)
    ui.press('\u0015', 'battery staple\r', '\u0015', 'battery staple\r')
    await ui.shows('Signed up and in as ada@example.com')
  })

  test('another server is asked for by a key alone, where one is known', async () => {
    const ui = screens.open(screens.own.machine())
    await ui.shows('Nobody is signed in')
    ui.press('enter')
    expect(await ui.shows('ctrl+o another server')).not.toContain('Server ')
    ui.press('\u000f')
    expect(await ui.shows(`Server   ${screens.own.url}`)).not.toContain('ctrl+o')
  })

  test('a session token signs in, and an unknown one does not', async () => {
    const token = (await (await signedIn(screens.own))('auth token')).stdout.trim()
    const machine = screens.own.machine()
    const ui = screens.open(machine)
    await ui.shows('Nobody is signed in')
    ui.press('G', 'enter')
    await ui.shows('Token')
    ui.press('bad\r')
    await ui.shows(`The token is not a valid session of ${screens.own.url}`)
    ui.press('esc', '\u0015', `${token}\r`)
    await ui.shows('Signed in as ada@example.com')
    expect((await machine('auth token')).stdout.trim()).toBe(token)
    expect(await browsersOf(screens.own)).toEqual([thisProgram])
  })

  test('a session that ended elsewhere is noticed, and leads to signing in', async () => {
    const ui = screens.open(await signedIn(screens.own))
    await ui.shows('Ada Lovelace')
    await endSessions()
    ui.press('3')
    await ui.shows('The session of ada@example.com was ended elsewhere')
    ui.press('esc')
    const frame = await ui.shows('was ended elsewhere. enter signs in as ada@example.com; 2')
    expect(frame.replaceAll(/\s+/g, ' ')).toContain('2 lists the accounts and signs in.')
    ui.press('1')
    expect(await ui.shows('Home ')).toMatch(/signed out[^]*The session of ada@example.com was ended elsewhere\./)
  })

  test('a session that was over before is told too, and the form knows whose it was', async () => {
    const machine = await signedIn(screens.own)
    await endSessions()
    expect((await machine('whoami')).code).toBe(4)
    const ui = screens.open(machine)
    await ui.shows('The session of ada@example.com is over.')
    ui.press('enter')
    expect(await ui.shows('❯ Password')).toMatch(/Email +ada@example.com/)
  })

  test('one that was over when its account was chosen is told with what may have happened, and signs in again', async () => {
    const machine = await signedIn(screens.own)
    await signUp(machine, bob, 'Bob Ross')
    const ui = screens.open(machine)
    await ui.shows('Bob Ross')
    await screens.sql`delete from sessions where user_id = (select id from users where email = ${ada})`
    await screens.sql`update users set banned = true, ban_reason = 'Spam' where email = ${ada}`
    ui.press('a')
    await ui.shows(`❯ ${ada}`)
    ui.press('enter')
    expect(await ui.shows('Signed out')).toContain('The session of ada@example.com is over.')
    expect(ui.frame()).toContain('It has expired or was revoked')
    ui.press('esc', '3')
    await ui.shows('The session of ada@example.com is over. enter signs in')
    ui.press('enter')
    await ui.shows('❯ Password')
    ui.press(`${testPassword}\r`)
    await ui.shows('You have been banned')
    ui.press('esc', 'esc', '2')
    await ui.shows('current, session over')
    ui.press('j', 'enter')
    await ui.shows('Bob Ross')
    expect(ui.store.state).toMatchObject({ me: { user: { email: bob } }, ended: undefined })
  })

  test.each(['home', 'sessions', 'profile'] as const)(
    'who was chosen on the screen %s is told apart from whose session ended before',
    async (screen) => {
      const machine = await signedIn(screens.own)
      await signUp(machine, bob, 'Bob Ross')
      const ui = screens.open(machine, { screen })
      await ui.shows(screen === 'sessions' ? 'this one' : 'Bob Ross')
      await screens.sql`delete from sessions`
      ui.press('R')
      await ui.shows('The session of bob@example.com was ended elsewhere')
      ui.press('esc', 'a')
      await ui.shows(`❯ ${ada}`)
      ui.press('enter')
      await ui.shows('The session of ada@example.com is over.')
      expect(await ui.shows('It has expired or was revoked')).not.toContain(bob)
      ui.press('esc')
      expect(await ui.hides('It has expired')).not.toMatch(/session of bob|as bob/)
      expect(ui.store.state.ended).toMatchObject({ account: { email: ada }, how: 'over' })
    },
  )

  test('signed out, a screen shows no key that does nothing there, and names nothing that was looked at before', async () => {
    const machine = await signedIn(screens.own)
    await organization(screens.service, 'Acme', { [ada]: 'owner' })
    const ui = screens.open(machine, { screen: 'orgs' })
    expect(await ui.shows('Acme')).toContain('c create')
    ui.press('enter')
    await ui.shows('Orgs › Acme')
    await endSessions()
    ui.press('R')
    await ui.shows('was ended elsewhere')
    ui.press('esc')
    const frame = await ui.shows('was ended elsewhere. enter signs in')
    expect(frame).not.toContain('Acme')
    for (const key of ['c invite', 'D remove', 'x actions', '/ filter']) expect(frame).not.toContain(key)
    ui.press('?')
    expect(await ui.shows('Keys of this screen')).not.toContain('invite')
    ui.press('esc')
    await ui.hides('Keys of this screen')
    ui.press('enter')
    expect(await ui.shows('Orgs › Sign in')).not.toContain('Acme')
  })

  test('a session that is over asks the service nothing by itself', async () => {
    const ui = screens.open(await signedIn(screens.own))
    await ui.shows('Ada Lovelace')
    await endSessions()
    ui.press('R')
    await ui.shows('The session of ada@example.com was ended elsewhere')
    ui.press('esc')
    await ui.hides('the service does not say which')
    const { asked } = screens.own
    const isQuiet = async () => {
      const { length } = asked
      await new Promise((resolve) => setTimeout(resolve, 50))
      return asked.length === length
    }
    await expect.poll(isQuiet).toBe(true)
    const before = asked.length
    ui.press('3')
    await ui.shows('was ended elsewhere. enter signs in')
    ui.press('1')
    await ui.shows('The session of ada@example.com was ended elsewhere')
    await isQuiet()
    expect(asked.slice(before)).toEqual([])
    ui.press('enter')
    await ui.shows('postern sign-in --email ada@example.com')
  })
})

/** Ends the sessions without the running program noticing. */
const endSessions = () => screens.sql`delete from sessions`

describe('sessions', () => {
  test('one is revoked after a yes, and the command for it is shown before and after', async () => {
    const ui = screens.open(await signedIn(screens.own, 1))
    const [, firefox] = await sessionsOf(screens.own)
    await ui.shows('Ada Lovelace')
    ui.press('3')
    expect(await ui.shows('Firefox 1')).toContain('this one')
    ui.press('D')
    expect(await ui.shows('Revoke this session and sign out here?')).toContain(`this one: ${thisProgram}`)
    ui.press('n')
    await ui.hides('Revoke this session')
    ui.press('j', 'D')
    expect(await ui.shows('Revoke this session?')).toContain(`postern session revoke ${firefox?.id}`)
    expect(ui.frame()).toContain('Firefox 1')
    ui.press('y')
    await ui.shows(`Revoked the session  ·  postern session revoke ${firefox?.id}`)
    await ui.hides('Firefox 1')
    expect(await browsersOf(screens.own)).toEqual([thisProgram])
  })

  test('no, escape and q leave everything as it was', async () => {
    const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions' })
    await ui.shows('Firefox 1')
    for (const no of ['n', 'esc', 'q']) {
      ui.press('D')
      await ui.shows('Revoke this session and sign out here?')
      ui.press(no)
      await ui.hides('Revoke this session')
    }
    expect(await browsersOf(screens.own)).toHaveLength(2)
    expect(ui.ended()).toBeUndefined()
  })

  test('D and y that arrive in one burst reach the question, not the list', async () => {
    const ui = screens.open(await signedIn(screens.own, 3), { screen: 'sessions' })
    // The current user is loaded separately from the list, and keys wait for both.
    await ui.shows('this one')
    ui.press('jjDy')
    await ui.hides('Firefox 2')
    expect(await browsersOf(screens.own)).toEqual([thisProgram, 'Firefox 1', 'Firefox 3'])
    expect(ui.copied).toEqual([])
  })

  test('marked ones go together', async () => {
    const ui = screens.open(await signedIn(screens.own, 3), { screen: 'sessions' })
    await ui.shows('Firefox 3')
    ui.press('j', 'space', 'space')
    await ui.shows('2 marked')
    ui.press('D')
    const [, first, second] = await sessionsOf(screens.own)
    expect(unfolded(await ui.shows('Revoke these 2 sessions?'))).toContain(`session revoke ${first?.id} ${second?.id}`)
    ui.press('y')
    await ui.shows('Revoked 2 sessions')
    expect(await browsersOf(screens.own)).toEqual([thisProgram, 'Firefox 3'])
  })

  test('all others go from the menu of actions', async () => {
    const ui = screens.open(await signedIn(screens.own, 3), { screen: 'sessions' })
    await ui.shows('Firefox 3')
    // The current user is loaded separately from the list.
    await ui.shows('this one')
    ui.press('x')
    await ui.shows('postern session revoke --others')
    ui.press('down', 'enter')
    await ui.shows('Revoke every session but this one?')
    ui.press('y')
    await ui.shows('Revoked every other session  ·  postern session revoke --others')
    await ui.hides('Firefox')
    expect(await browsersOf(screens.own)).toEqual([thisProgram])
  })

  test('all of them go only after the address was typed', async () => {
    const machine = await signedIn(screens.own, 1)
    const ui = screens.open(machine, { screen: 'sessions' })
    await ui.shows('Firefox 1')
    // The current user is loaded separately from the list.
    await ui.shows('this one')
    ui.press('x')
    await ui.shows('Revoke all, including this one')
    ui.press('down', 'down', 'enter')
    await ui.shows('Type ada@example.com to confirm')
    ui.press('y\r')
    await ui.shows('This does not match')
    expect(await browsersOf(screens.own)).toHaveLength(2)
    ui.press('backspace', 'ada@example.com\r')
    await ui.shows('Revoked every session, including this one')
    expect(await browsersOf(screens.own)).toEqual([])
    expect(await keptOn(machine)).toEqual([])
  })

  test('one that was revoked elsewhere meanwhile is explained, and the list is read again', async () => {
    const ui = screens.open(await signedIn(screens.own, 2), { screen: 'sessions' })
    await ui.shows('Firefox 2')
    await screens.sql`delete from sessions where user_agent = 'Firefox 1'`
    ui.press('j', 'D')
    await ui.shows('Revoke this session?')
    ui.press('y')
    expect(await ui.shows('Session not found')).toContain('It has already ended')
    ui.press('esc')
    await ui.hides('Firefox 1')
  })

  test('the detail shows all of one, and revokes it', async () => {
    const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('j', 'enter')
    await ui.shows('Sessions › Session')
    await ui.shows('UTC')
    ui.press('y')
    const [, firefox] = await sessionsOf(screens.own)
    await ui.shows(`Copied the session id: ${firefox?.id}`)
    expect(ui.copied).toEqual([firefox?.id])
    ui.press('D')
    await ui.shows('Revoke this session?')
    ui.press('y')
    await ui.hides('Firefox 1')
    expect(ui.frame()).not.toContain('Sessions › Session')
  })
})

describe('profile', () => {
  test('a changed name is saved, and only that is sent', async () => {
    const { sql } = screens.service.deps
    const ui = screens.open(await signedIn(screens.own), { screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image URL')
    // A change made elsewhere, which sending the whole form would undo.
    await sql`update users set image = 'https://a.example/ada.png'`
    ui.press(' King\r\r\r')
    await ui.shows("Updated ada@example.com. u undoes it  ·  postern account edit --name 'Ada Lovelace King'")
    await ui.shows('Ada Lovelace King')
    expect(await sql`select name, image from users`).toEqual([
      { name: 'Ada Lovelace King', image: 'https://a.example/ada.png' },
    ])
  })

  test('nothing changed is nothing sent', async () => {
    const ui = screens.open(await signedIn(screens.own), { screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image URL')
    ui.press('\r\r\r')
    await ui.shows('Nothing was changed')
    expect(screens.writes()).toEqual([])
  })
})

describe('accounts', () => {
  async function two() {
    const machine = await signedIn(screens.own)
    return signUp(machine, bob, 'Bob')
  }

  test('another one takes over, by the list or by its own key', async () => {
    const machine = await two()
    const ui = screens.open(machine, { screen: 'accounts' })
    expect((await ui.shows('current')).replaceAll(/ +/g, ' ')).toContain(`${bob} ${screens.own.url} current`)
    ui.press('g', 'enter')
    await ui.shows('Ada Lovelace')
    // What is typed at once is for the choice, not for the screen below.
    ui.press('a', 'down', 'enter')
    await ui.shows('Switched to bob@example.com  ·  postern auth switch bob@example.com')
    await ui.shows('Name           Bob')
    expect(await keptOn(machine)).toEqual([ada, `${bob} *`])
  })

  test('signing out ends the session there and forgets it here', async () => {
    const machine = await two()
    const ui = screens.open(machine, { screen: 'accounts' })
    await ui.shows('bob@example.com')
    ui.press('g', 'D')
    await ui.shows('Sign ada@example.com out on this machine?')
    ui.press('y')
    await ui.shows('Signed out ada@example.com')
    expect(await keptOn(machine)).toEqual([`${bob} *`])
    expect(await browsersOf(screens.own, ada)).toEqual([])
    expect(await browsersOf(screens.own, bob)).toEqual([thisProgram])
  })
})

describe('requests', () => {
  test('each is listed as the command that does the same, and copied as curl without its secrets', async () => {
    const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('7')
    await ui.shows('postern session list')
    await ui.shows('postern whoami')
    await ui.shows('postern org list')
    ui.press('g', 'C')
    await ui.shows('Copied the command')
    ui.press('enter')
    await ui.shows('(token=$(postern auth token')
    ui.press('x')
    await ui.shows('Copy as curl')
    ui.press('down', 'enter')
    await ui.shows('Copied the curl line')
    expect(ui.copied).toHaveLength(2)
    expect(ui.copied[1]).toContain(`| curl -sS -K - ${screens.own.url}/api/auth/`)
  })
})
