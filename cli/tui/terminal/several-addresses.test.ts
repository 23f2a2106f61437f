import { afterEach, expect, test } from 'vitest'
import { dialogueWith } from '../../testing/line-dialogue.ts'
import type { Pty } from '../../testing/pty.ts'
import { acmeAt, inviteTo, showAcme } from '../testing/acme.ts'
import { bob, eve } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

/** Numbers of the palette. */
const [red, yellow] = [1, 3]

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

const invited = async () =>
  (await screens.sql<{ email: string }[]>`select email from invitations order by email`).map(({ email }) => email)

const paste = (text: string) => pty.type(`\u001b[200~${text}\u001b[201~`)

test.each(sizesToStart)(
  'several pasted addresses are invited, each with what became of it, and none while one is malformed: %i×%i',
  async (columns, rows) => {
    const acme = await acmeAt(screens.own)
    pty = startTui({ columns, rows, env: acme.machine.env })
    await showAcme(pty)
    pty.type('c')
    await pty.shows('❯ Email')
    paste('zoe@example.com\nyan@example')
    pty.type('\r')
    await pty.shows('Not an e-mail')
    pty.type('\r\r')
    await pty.shows('❯ Email')
    expect(await pty.screen()).toContain('yan@example')
    expect(await invited()).toEqual([])
    paste('.com, ZOE@example.com; xaver@example.com\n')
    await pty.hides('Not an e-mail')
    pty.type('\r\r\r')
    await pty.shows('Invited 3 addresses as')
    expect(await invited()).toEqual(['xaver@example.com', 'yan@example.com', 'zoe@example.com'])
  },
)

test('what failed of several is listed with its reason, and comes back into the form', async () => {
  const acme = await acmeAt(screens.own)
  pty = startTui({ columns: 120, rows: 30, env: acme.machine.env })
  await showAcme(pty)
  pty.type('c')
  await pty.shows('❯ Email')
  paste(`${eve} zoe@example.com`)
  expect(await pty.shows('zoe@example.com')).toContain(`postern invitation create ${eve} zoe@example.com --role member`)
  pty.type('\r\r\r')
  const results = await pty.shows('Invited 1 of 2 addresses as member')
  expect(results).toMatch(/eve@example\.com +.*already a member/)
  expect(results).toMatch(/zoe@example\.com +done/)
  expect(results).toContain('❯ Correct the one that is left')
  pty.type('\r')
  expect(await pty.shows('❯ Email')).toMatch(/Email +eve@example\.com/)
  expect(await invited()).toEqual(['zoe@example.com'])
})

test.each([
  [`${eve} zoe@example.com`, 'Invited 1 of 2', yellow],
  [`${eve} ${bob}`, 'Invited 0 of 2', red],
])('of %s the notice tells by its colour too that some or all failed', async (addresses, said, colour) => {
  const acme = await acmeAt(screens.own)
  pty = startTui({ columns: 120, rows: 30, env: acme.machine.env })
  await showAcme(pty)
  pty.type('c')
  await pty.shows('❯ Email')
  paste(addresses)
  pty.type('\r\r\r')
  await pty.shows(`${said} addresses as member  ·  postern`)
  const notice = (await pty.painted()).flat().find(({ text }) => text.includes(`${said} addresses as member  ·`))
  expect(notice?.foreground).toBe(colour)
})

test('in lines several addresses are invited with a result for each', async () => {
  const acme = await acmeAt(screens.own)
  await inviteTo(acme, 'old@example.com')
  pty = startTui({
    columns: 160,
    rows: 100,
    env: { ...acme.machine.env, POSTERN_ACCESSIBLE: '1' },
  })
  const { answer, choose } = dialogueWith(pty)
  await choose('Organizations')
  await choose('Acme')
  await choose('Members')
  await choose('Invite somebody')
  await pty.shows('Like ada@example.com, ben@example.com.')
  await answer('Email:', 'zoe@example.com, yan@')
  await pty.shows('Not an e-mail address: yan@.')
  await answer('Email:', `zoe@example.com ${eve}`)
  await answer('[member]:', '')
  await answer('Teams (Acme; several with commas):', '')
  await pty.shows('Invited 1 of 2 addresses as member. The same as: postern invitation create zoe@example.com')
  await pty.shows('zoe@example.com: done.')
  expect(await pty.shows(`${eve}: `)).toMatch(/eve@example\.com: .*already a member/)
  expect(await invited()).toEqual(['old@example.com', 'zoe@example.com'])
})
