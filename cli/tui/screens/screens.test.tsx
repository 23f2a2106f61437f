import { afterEach, describe, expect, test } from 'vitest'
import { FakeService } from '../testing/fake-service.ts'
import { type RenderOptions, renderTui, type Screen } from '../testing/render.tsx'
import { browsers, signedIn } from '../testing/signed-in.ts'

let screen: Screen
afterEach(() => screen.close())

const start = (options?: RenderOptions): Screen => {
  screen = renderTui(options)
  return screen
}

describe('getting in', () => {
  test('a new person signs up and is at home', async () => {
    const ui = start()
    await ui.shows('Nobody is signed in here yet')
    ui.press('j', 'enter')
    await ui.shows('Create an account')
    ui.press('ada@example.com\r', 'Ada Lovelace\r')
    await ui.shows("postern sign-up --email ada@example.com --name 'Ada Lovelace'")
    ui.press('correct horse\r', 'correct house\r', '\r')
    await ui.shows('This is not the same as above')
    expect(ui.service.people.size).toBe(0)
    ui.press('backspace', 'backspace', 'backspace', 'rse\r')
    expect(await ui.shows('•••••••••••••')).not.toContain('correct')
    ui.press('\r')
    await ui.shows('Signed up and in as ada@example.com')
    await ui.shows('ada@example.com  (not verified)')
    expect(ui.service.people.get('ada@example.com')).toMatchObject({ name: 'Ada Lovelace', password: 'correct horse' })
  })

  test('a wrong password is explained, and the form is still there with what was typed', async () => {
    const service = new FakeService()
    service.addPerson('ada@example.com')
    const ui = start({ service })
    await ui.shows('Nobody is signed in')
    ui.press('enter')
    await ui.shows('E-mail')
    ui.press('ada@example.com\r', 'wrong\r', '\r')
    await ui.shows('Invalid email or password')
    expect(ui.frame()).toContain('INVALID_EMAIL_OR_PASSWORD')
    ui.press('esc')
    await ui.shows('❯ Server')
    ui.press('up', 'backspace', 'backspace', 'backspace', 'backspace', 'backspace', 'correct horse', '\r\r')
    await ui.shows('Signed in as ada@example.com')
  })

  test('what is wrong in a form is said beside its field, and nothing is sent', async () => {
    const ui = start()
    await ui.shows('Nobody is signed in')
    ui.press('enter')
    await ui.shows('E-mail')
    const before = ui.service.asked.length
    ui.press('not an address\r\r\r')
    await ui.shows('An e-mail address looks like')
    expect(ui.frame()).toContain('Password is needed')
    expect(ui.service.asked).toHaveLength(before)
  })

  test('a session token signs in, and an unknown one does not', async () => {
    const service = signedIn(0)
    const [session] = service.sessions
    service.jars.clear()
    service.current = undefined
    const ui = start({ service })
    await ui.shows('Nobody is signed in')
    ui.press('G', 'enter')
    await ui.shows('Token')
    ui.press('bad\r\r')
    await ui.shows('The token is no session of http://localhost:4100')
    ui.press('esc', 'up', 'backspace', 'backspace', 'backspace', `${session?.token}\r\r`)
    await ui.shows('Signed in as ada@example.com')
    expect(service.jars.get('ada@example.com')).toBe(session?.token)
  })

  test('a session that ended elsewhere is noticed, and leads to signing in', async () => {
    const service = signedIn(1)
    const ui = start({ service })
    await ui.shows('Ada Lovelace')
    service.sessions = []
    ui.press('3')
    await ui.shows('Nobody is signed in. 2 lists the accounts')
    ui.press('1')
    expect(await ui.shows('The session of ada@example.com is over')).toContain('signed out')
  })

  test('a session that is over asks the service nothing by itself', async () => {
    const service = signedIn(1)
    const ui = start({ service })
    await ui.shows('Ada Lovelace')
    service.sessions = []
    ui.press('R')
    await ui.shows('The session of ada@example.com is over')
    const isQuiet = async () => {
      const { length } = service.asked
      await new Promise((resolve) => setTimeout(resolve, 50))
      return service.asked.length === length
    }
    await expect.poll(isQuiet).toBe(true)
    const before = service.asked.length
    ui.press('3')
    await ui.shows('Nobody is signed in. 2 lists the accounts')
    ui.press('1')
    await ui.shows('The session of ada@example.com is over')
    await isQuiet()
    expect(service.asked.slice(before)).toEqual([])
    ui.press('enter')
    await ui.shows('postern sign-in --email ada@example.com')
  })
})

describe('sessions', () => {
  test('one is revoked after a yes, and the command for it is shown before and after', async () => {
    const ui = start({ service: signedIn() })
    await ui.shows('Ada Lovelace')
    ui.press('3')
    expect(await ui.shows('Firefox 1')).toContain('this one')
    ui.press('D')
    expect(await ui.shows('Revoke this session?')).toContain('this one: postern/0.1.0 linux')
    ui.press('n')
    await ui.hides('Revoke this session?')
    ui.press('j', 'D')
    expect(await ui.shows('Revoke this session?')).toContain('postern session revoke s2')
    expect(ui.frame()).toContain('Firefox 1')
    ui.press('y')
    await ui.shows('Revoked the session  ·  postern session revoke s2')
    await ui.hides('Firefox 1')
    expect(browsers(ui.service)).toEqual(['postern/0.1.0 linux'])
  })

  test('no, escape and q leave everything as it was', async () => {
    const ui = start({ service: signedIn(), screen: 'sessions' })
    await ui.shows('Firefox 1')
    for (const no of ['n', 'esc', 'q']) {
      ui.press('D')
      await ui.shows('Revoke this session?')
      ui.press(no)
      await ui.hides('Revoke this session?')
    }
    expect(browsers(ui.service)).toHaveLength(2)
    expect(ui.ended()).toBeUndefined()
  })

  test('D and y that arrive in one burst reach the question, not the list', async () => {
    const ui = start({ service: signedIn(3), screen: 'sessions' })
    await ui.shows('Firefox 3')
    ui.press('jjDy')
    await ui.hides('Firefox 2')
    expect(browsers(ui.service)).toEqual(['postern/0.1.0 linux', 'Firefox 1', 'Firefox 3'])
    expect(ui.copied).toEqual([])
  })

  test('marked ones go together', async () => {
    const ui = start({ service: signedIn(3), screen: 'sessions' })
    await ui.shows('Firefox 3')
    ui.press('j', 'space', 'space')
    await ui.shows('2 marked')
    ui.press('D')
    expect(await ui.shows('Revoke these 2 sessions?')).toContain('postern session revoke s2 s3')
    ui.press('y')
    await ui.shows('Revoked 2 sessions')
    expect(browsers(ui.service)).toEqual(['postern/0.1.0 linux', 'Firefox 3'])
  })

  test('all others go from the menu of actions', async () => {
    const ui = start({ service: signedIn(3), screen: 'sessions' })
    await ui.shows('Firefox 3')
    ui.press('x')
    await ui.shows('postern session revoke --others')
    ui.press('down', 'enter')
    await ui.shows('Revoke every session but this one?')
    ui.press('y')
    await ui.shows('Revoked every other session  ·  postern session revoke --others')
    await ui.hides('Firefox')
    expect(browsers(ui.service)).toEqual(['postern/0.1.0 linux'])
  })

  test('all of them go only after the address was typed', async () => {
    const ui = start({ service: signedIn(1), screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('x')
    await ui.shows('Revoke all, this one too')
    ui.press('down', 'down', 'enter')
    await ui.shows('Type ada@example.com to do it')
    ui.press('y\r')
    await ui.shows('This is not the same text')
    expect(browsers(ui.service)).toHaveLength(2)
    ui.press('backspace', 'ada@example.com\r')
    await ui.shows('Revoked every session, this one too')
    expect(browsers(ui.service)).toEqual([])
    expect([...ui.service.jars.keys()]).toEqual([])
  })

  test('one that was revoked elsewhere meanwhile is explained, and the list is read again', async () => {
    const ui = start({ service: signedIn(2), screen: 'sessions' })
    await ui.shows('Firefox 2')
    ui.service.sessions = ui.service.sessions.filter(({ userAgent }) => userAgent !== 'Firefox 1')
    ui.press('j', 'D')
    await ui.shows('Revoke this session?')
    ui.press('y')
    expect(await ui.shows('Session not found')).toContain('It is over already')
    ui.press('esc')
    await ui.hides('Firefox 1')
  })

  test('the detail shows all of one, and revokes it', async () => {
    const ui = start({ service: signedIn(), screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('j', 'enter')
    await ui.shows('Sessions › Session')
    await ui.shows('UTC')
    ui.press('y')
    await ui.shows('Copied the session id: s2')
    expect(ui.copied).toEqual(['s2'])
    ui.press('D')
    await ui.shows('Revoke this session?')
    ui.press('y')
    await ui.hides('Firefox 1')
    expect(ui.frame()).not.toContain('Sessions › Session')
  })
})

describe('profile', () => {
  test('a changed name is saved, and only that is sent', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image URL')
    ui.press(' King\r\r')
    await ui.shows("Updated ada@example.com  ·  postern account edit --name 'Ada Lovelace King'")
    await ui.shows('Ada Lovelace King')
    expect(ui.service.people.get('ada@example.com')).toEqual({
      name: 'Ada Lovelace King',
      password: 'correct horse',
      image: null,
      isVerified: false,
    })
  })

  test('nothing changed is nothing sent', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image URL')
    ui.press('\r\r')
    await ui.shows('Nothing was changed')
    expect(ui.service.asked).not.toContain('POST /update-user')
  })
})

describe('accounts', () => {
  function two(): FakeService {
    const service = signedIn(0)
    service.addPerson('bob@example.com', 'Bob')
    service.signIn('bob@example.com')
    return service
  }

  test('another one takes over, by the list or by its own key', async () => {
    const ui = start({ service: two(), screen: 'accounts' })
    expect(await ui.shows('bob@example.com ')).toMatch(/bob@example.com +http:\/\/localhost:4100 +current/)
    ui.press('g', 'enter')
    await ui.shows('Ada Lovelace')
    ui.press('a')
    await ui.shows('Act as')
    ui.press('down', 'enter')
    await ui.shows('Switched to bob@example.com  ·  postern auth switch bob@example.com')
    await ui.shows('Name           Bob')
  })

  test('signing out ends the session there and forgets it here', async () => {
    const ui = start({ service: two(), screen: 'accounts' })
    await ui.shows('bob@example.com')
    ui.press('g', 'D')
    await ui.shows('Sign ada@example.com out on this machine?')
    ui.press('y')
    await ui.shows('Signed out ada@example.com')
    expect([...ui.service.jars.keys()]).toEqual(['bob@example.com'])
    expect(ui.service.sessions.map(({ email }) => email)).toEqual(['bob@example.com'])
  })
})

describe('requests', () => {
  test('each is listed as the command that does the same, and copied as curl without its secrets', async () => {
    const ui = start({ service: signedIn(), screen: 'sessions' })
    await ui.shows('Firefox 1')
    ui.press('7')
    expect(await ui.shows('postern session list')).toContain('postern whoami')
    ui.press('C')
    await ui.shows('Copied the command')
    ui.press('enter')
    await ui.shows('curl -b cookies.txt')
    ui.press('x')
    await ui.shows('Copy as curl')
    ui.press('down', 'enter')
    await ui.shows('Copied the curl line')
    expect(ui.copied).toHaveLength(2)
    expect(ui.copied[1]).toMatch(/^curl -b cookies.txt http:\/\/localhost:4100\/api\/auth\//)
  })
})
