import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { signUp } from '../testing/own-service.ts'
import type { Runner } from '../testing/run-cli.ts'
import { acmeAt, inviteTo, openAcme, tabTo } from './testing/acme.ts'
import { organization } from './testing/organizations.ts'
import { ada, bob, signedIn } from './testing/people.ts'
import { type Screen, unfolded } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })

/** The service is unreachable meanwhile, and requests are not retried. */
async function whileAway(machine: Runner, work: () => Promise<void>): Promise<void> {
  await machine('config set retries 0')
  await screens.own.goAway()
  try {
    await work()
  } finally {
    await screens.own.comeBack()
  }
}

async function openHome(options = {}): Promise<Screen> {
  const ui = screens.open(await signedIn(screens.own), options)
  await ui.shows('Ada Lovelace')
  return ui
}

afterEach(() => void vi.restoreAllMocks())

/** Runs a whole poll, after the requests of the start have ended. */
async function poll(ui: Screen): Promise<void> {
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  await ui.store.poll()
}

test('what is asked again and again is one line of the requests, with how often', async () => {
  const ui = await openHome()
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  for (const _ of [1, 2, 3]) await ui.store.state.connection?.api.key.listKeys({ offset: '7' })
  ui.press('7')
  await ui.shows('200 ×3')
  ui.press('enter')
  await ui.shows('3 times in a row')
})

test('a sign-out whose file cannot be written is told as that: the service has ended the session, and is online', async () => {
  const machine = await signedIn(screens.own)
  const ui = screens.open(machine)
  await ui.shows('Ada Lovelace')
  // Refused as if the disk were full, also to root.
  const jars = join(machine.folder, 'state', 'jars')
  chmodSync(jars, 0o755)
  ui.press('2', 'D')
  await ui.shows(`Sign ${ada} out on this machine?`)
  ui.press('y')
  await ui.shows('That did not work')
  expect(unfolded(ui.frame())).toContain(`The session of ${ada} has ended at`)
  await expect.poll(() => unfolded(ui.frame())).toContain('but this machine still keeps it: Others can enter')
  expect(await screens.sql`select id from sessions`).toEqual([])
  await poll(ui)
  expect(ui.frame()).toContain('● online')
  chmodSync(jars, 0o700)
  await ui.store.load()
  expect(ui.store.state).toMatchObject({ me: null, ended: undefined })
})

describe('a session that was ended elsewhere', () => {
  test('is told at once, and enter signs the same person in again, with the address filled in', async () => {
    const ui = await openHome()
    await screens.sql`delete from sessions`
    await poll(ui)
    await ui.shows(`The session of ${ada} was ended elsewhere.`)
    ui.press('enter')
    await ui.shows(`Email    ${ada}`)
    ui.press(`${testPassword}\r`, 'enter')
    await ui.shows(`Signed in as ${ada}`)
    await ui.shows('Ada Lovelace')
    expect(ui.store.state).toMatchObject({ me: { user: { email: ada } }, ended: undefined })
  })

  test('leaves the form that is open, with what was typed into it', async () => {
    const ui = await openHome({ screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image')
    ui.press(' King')
    await ui.shows('Ada Lovelace King')
    await screens.sql`delete from sessions`
    await poll(ui)
    await ui.shows('was ended elsewhere')
    ui.press('esc')
    expect(await ui.shows('Ada Lovelace King')).toContain('Image')
  })

  test('takes no key of a password that is being typed to sign in', async () => {
    const ui = screens.open(await signedIn(screens.own), { screen: 'accounts' })
    await ui.shows('current')
    ui.press('down', 'enter')
    await ui.shows('❯ Email')
    ui.press(`${ada}\r`, testPassword.slice(0, 5))
    await ui.shows('•••••')
    await screens.sql`delete from sessions`
    await poll(ui)
    expect(ui.store.state.ended).toBeDefined()
    ui.press(`${testPassword.slice(5)}\r`)
    await ui.shows(`Signed in as ${ada}`)
    await expect.poll(() => ui.store.state.ended).toBeUndefined()
  })

  test('does not take a key away that is shown only once', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own), { size: { columns: 120, rows: 30 } })
    await tabTo(ui, 'Keys')
    await ui.shows('No keys. c creates one.')
    ui.press('c')
    await ui.shows('It is shown once and not stored.')
    ui.press('deploy\r', 'right', 'space')
    await ui.shows('postern key create deploy --role admin --org acme')
    ui.press('enter', 'enter', '9d', 'enter', 'enter', 'enter')
    await ui.shows('This is shown once')
    await screens.sql`delete from sessions`
    await poll(ui)
    expect(ui.frame()).toContain('This is shown once')
    expect(ui.store.state.ended).toBeDefined()
  })
})

describe('what cannot be asked', () => {
  test.each([100, 80, 40])(
    'is said with its age, beside what was shown, in %i columns, and goes by itself',
    async (columns) => {
      const { machine } = await acmeAt(screens.own)
      await machine('config set retries 0')
      const ui = screens.open(machine, { screen: 'orgs', size: { columns, rows: 24 } })
      await ui.shows('Acme')
      await whileAway(machine, async () => {
        await poll(ui)
        const frame = await ui.shows('As of ')
        expect(frame).toContain('Acme')
        expect(frame).toContain('✗ offline')
        expect(frame).toContain('R tries again')
      })
      await poll(ui)
      expect(await ui.hides('As of ')).toContain('● online')
    },
  )

  test('goes soon after anything was answered again', async () => {
    const { machine } = await acmeAt(screens.own)
    // Delays the next background poll by hours.
    vi.spyOn(Math, 'random').mockReturnValue(1000)
    const ui = screens.open(machine, { screen: 'orgs' })
    await ui.shows('Acme')
    await whileAway(machine, async () => {
      ui.press('R')
      await ui.shows('As of ')
    })
    // Back before the answer: a screen that is not on top is not refreshed.
    ui.press('enter', 'esc')
    expect(await ui.hides('As of ')).toContain('● online')
  })

  test('is never taken for having nothing', async () => {
    const machine = await signedIn(screens.own)
    await whileAway(machine, async () => {
      for (const screen of ['orgs', 'sessions', 'home', 'profile'] as const) {
        const ui = screens.open(machine, { screen })
        await ui.shows('R tries again')
        expect(ui.frame()).not.toMatch(/no organization yet|No sessions|you are in 0|Nobody is signed in/)
        ui.press('o')
        await ui.shows('Your organizations are not loaded yet')
      }
    })
  })

  test('keeps the panels of an organization, with the place in them', async () => {
    const acme = await acmeAt(screens.own)
    await acme.machine('config set retries 0')
    await inviteTo(acme, 'zoe@example.com')
    const ui = await openAcme(screens, acme)
    await tabTo(ui, 'Invitations')
    await ui.shows('zoe@example.com')
    await whileAway(acme.machine, async () => {
      ui.press('R')
      expect(await ui.shows('As of ')).toContain('zoe@example.com')
    })
    ui.press('R')
    expect(await ui.hides('As of ')).toContain('[Invitations')
  })

  test('what the service refuses is not shown any longer', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme)
    await screens.sql`delete from members where user_id = (select id from users where email = ${ada})`
    ui.press('R')
    expect(await ui.shows('R tries again')).not.toContain('Eve Moss')
  })
})

describe('what changed elsewhere', () => {
  test('comes into the list that is on the screen, and the selection stays where it is', async () => {
    const machine = await signedIn(screens.own)
    const { service } = screens.own
    for (const name of ['Acme', 'Birch', 'Cedar']) await organization(service, name, { [ada]: 'owner' })
    const ui = screens.open(machine, { screen: 'orgs' })
    await ui.shows('Cedar')
    ui.press('j')
    await ui.shows('❯ Birch')
    await organization(service, 'Aaron', { [ada]: 'owner' })
    await poll(ui)
    expect(await ui.shows('Aaron')).toContain('❯ Birch')
  })

  test('is read again quietly: keys need not wait, and the log says nothing', async () => {
    const { machine, ...acme } = await acmeAt(screens.own)
    const ui = await openAcme(screens, { machine })
    await ui.shows('Eve Moss')
    await ui.shows('Keys 0')
    const { requests } = ui.store.state
    await screens.sql`update users set name = 'Eve King' where name = 'Eve Moss'`
    await screens.sql`update organizations set name = 'Acme Two' where id = ${acme.id}`
    await poll(ui)
    await ui.shows('Eve King')
    expect(ui.store.state.requests).toBe(requests)
  })
})

describe('an account that was chosen elsewhere', () => {
  test('is not who this terminal acts as: what a person is about to do stays theirs', async () => {
    const machine = await signedIn(screens.own)
    const ui = screens.open(machine, { screen: 'profile' })
    await ui.shows('Member since')
    // The account that signed in last is the current one.
    await signUp(machine, bob, 'Bob Ray')
    await poll(ui)
    expect(ui.store.state).toMatchObject({ current: { email: ada }, me: { user: { email: ada } } })
    ui.press('R')
    await poll(ui)
    expect(await ui.shows('Ada Lovelace')).not.toContain('Bob Ray')
    await machine(`sign-out --account ${ada}`)
    await poll(ui)
    await expect.poll(() => ui.store.state.me?.user.email).toBe(bob)
  })
})

describe('whether the terminal is looked at', () => {
  beforeEach(() => screens.own.empty())

  test('is no key: nothing is typed by it', async () => {
    const ui = await openHome({ screen: 'profile' })
    await ui.shows('Member since')
    ui.press('e')
    await ui.shows('Image')
    ui.press('\u001b[O', ' K', '\u001b[I', 'ing', '\u001b[O')
    expect(await ui.shows('Ada Lovelace King')).toContain('Image')
  })
})
