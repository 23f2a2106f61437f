import { beforeAll, describe, expect, test } from 'vitest'
import { canSignIn, linkTo, userOf } from '../../../server/testing/mailed.ts'
import { readMails } from '../../../server/testing/mails.ts'
import { admit } from '../../../server/testing/organizations.ts'
import { type TestService, testPassword } from '../../../server/testing/service.ts'
import type { RunningService } from '../../testing/own-service.ts'
import { browsersOf, keptOn, peopleAt } from '../testing/kept.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, signedIn, thisProgram, verify } from '../testing/people.ts'
import { type RenderOptions, type Screen, unfolded } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

/** Opens the profile of Ada, who is signed in on a new machine. */
async function profile(options: RenderOptions & { readonly isVerified?: boolean; readonly at?: RunningService } = {}) {
  const { isVerified = false, at = screens.own, ...others } = options
  const machine = await signedIn(at)
  if (isVerified) await verify(at, ada)
  const ui = screens.open(machine, { screen: 'profile', ...others })
  await ui.shows('❯ Edit profile')
  return { machine, ui }
}

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`
const mailsOf = async (service: TestService) => (await readMails(service)).map(({ kind, to }) => `${kind} ${to}`).sort()

/** Moves to an entry of the screen and opens it. */
async function choose(ui: Screen, label: string): Promise<void> {
  const isThere = () => new RegExp(`❯ (\\+ )?${label}`).test(ui.frame())
  await ui.shows('❯')
  for (let count = 0; count < 20 && !isThere(); count += 1) {
    ui.press('j')
    // A changed frame alone does not prove it, since answers of the service change it too.
    await ui.settled()
  }
  ui.press('enter')
}

describe('the address', () => {
  test('is verified by a mail that is asked for here, and its link, broken over lines, pasted', async () => {
    const { ui } = await profile()
    await ui.shows('ada@example.com  (not verified)')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('A mail with a link is on its way')
    expect(ui.frame()).toContain('postern account email verify LINK')
    const { service } = screens.own
    expect(await mailsOf(service)).toEqual([`verify-email ${ada}`])
    ui.press('enter')
    await ui.shows('Link or token')
    const { url, token } = await linkTo(service, ada, 'verify-email')
    ui.press(paste(`${url.slice(0, 70)}\r\n${url.slice(70)}\r\n`))
    expect(await ui.shows('••••')).not.toContain(token.slice(0, 20))
    ui.press('enter')
    await ui.shows(`Verified ${ada}  ·  postern account email verify LINK`)
    await ui.shows('ada@example.com  (verified)')
    expect(await userOf(service, ada)).toMatchObject({ emailVerified: true })
  })

  test('once verified needs no mail: that stays listed, with the reason', async () => {
    const { ui } = await profile({ isVerified: true })
    expect(await ui.shows('the address is verified already')).toContain('Mail a link to verify the address')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('Mail a link to verify the address: the address is verified already')
    expect(screens.writes()).toEqual([])
  })

  test('not verified is replaced at once, and the session goes on under the new one', async () => {
    const { machine, ui } = await profile()
    await choose(ui, 'Change the e-mail address')
    await ui.shows('is not verified: the new address replaces it at once')
    ui.press('Ada@Example.org')
    await ui.shows('postern account email set Ada@Example.org')
    ui.press('enter')
    await ui.shows('The address is now ada@example.org')
    expect(await keptOn(machine)).toEqual(['ada@example.org *'])
    expect(await peopleAt(screens.own)).toEqual(['ada@example.org'])
    ui.press('esc')
    expect(await ui.shows('ada@example.org  (not verified)')).toMatch(/postern +· +ada@example\.org/)
  })

  test('verified agrees by mail first; its link changes it', async () => {
    const { machine, ui } = await profile({ isVerified: true })
    await choose(ui, 'Change the e-mail address')
    await ui.shows('is verified: you confirm the change by a mail to it')
    ui.press('ada@example.org\r')
    await ui.shows(`Mailed ${ada} a link to confirm it; it stays the address until then`)
    expect(await peopleAt(screens.own)).toEqual([ada])
    ui.press('enter')
    await ui.shows('Link or token')
    const { service } = screens.own
    ui.press(paste((await linkTo(service, ada, 'change-email')).token), 'enter')
    await ui.shows('The address is now ada@example.org')
    expect(await mailsOf(service)).toEqual([`email-changed ${ada}`, 'verify-email ada@example.org'])
    expect(await keptOn(machine)).toEqual(['ada@example.org *'])
    expect(await peopleAt(screens.own)).toEqual(['ada@example.org'])
  })

  test('of somebody else is refused, and the form keeps what was typed', async () => {
    const { ui } = await profile()
    await screens.service.person({ email: bob })
    await choose(ui, 'Change the e-mail address')
    await ui.shows('New address')
    ui.press('bob@example.com\r')
    expect(await ui.shows("Couldn't update your email")).toContain('this one belongs to an account')
    await ui.shows('New address bob@example.com')
  })

  test.each<[string, () => string | Promise<string>, string]>([
    [
      'a link of another server',
      () => 'https://evil.example/api/auth/verify-email?token=abcdefghijklmnopqrst',
      'leads to',
    ],
    [
      'a link for something else',
      () => `${screens.own.url}/api/auth/reset-password/abcdefghijklmnopqrst`,
      'It sets a new',
    ],
    ['no link at all', () => 'hello', 'Copy the whole link from the mail'],
    ['a link that is over', overLink, 'This link is not valid'],
  ])('%s verifies nothing, and says what to do', async (_, text, said) => {
    const { ui } = await profile()
    await choose(ui, 'Verify or change an address')
    await ui.shows('Link or token')
    ui.press(paste(await text()), 'enter')
    await ui.shows(said)
    // A screen names keys, not flags or pipes.
    expect(unfolded(ui.frame())).not.toMatch(/Your session is over|--|postern (account|…)/)
    expect(await userOf(screens.service, ada)).toMatchObject({ emailVerified: false })
  })
})

/** The link of a mail that has expired. */
async function overLink(): Promise<string> {
  const { service } = screens.own
  await service.visitor().post('/send-verification-email', { email: ada })
  const { url } = await linkTo(service, ada, 'verify-email')
  await service.deps.sql`delete from verifications`
  return url
}

describe('the password', () => {
  test('is changed with the present one, the new one twice, and no other session left', async () => {
    const ui = screens.open(await signedIn(screens.own, 1), { screen: 'profile' })
    await choose(ui, 'Change the password')
    await ui.shows('Sign out elsewhere')
    ui.press(`${testPassword}\r`, 'battery staple\r', 'battery stable\r', 'space')
    await ui.shows('[x] yes')
    expect(ui.frame()).toContain('postern account password set --revoke-others')
    ui.press('enter')
    await ui.shows('This does not match the line above')
    expect(screens.writes()).toEqual([])
    ui.press('backspace', 'backspace', 'backspace', 'ple\r')
    expect(await ui.shows('❯ Sign out elsewhere')).not.toMatch(/battery|horse/)
    ui.press('enter')
    await ui.shows(`Changed the password of ${ada} and ended every other session`)
    expect(await browsersOf(screens.own)).toEqual([thisProgram])
    expect(await canSignIn(screens.service, ada, 'battery staple')).toBe(true)
  })

  test('with a wrong present one stays as it was', async () => {
    const { ui } = await profile()
    await choose(ui, 'Change the password')
    await ui.shows('Sign out elsewhere')
    ui.press('wrong\r', 'battery staple\r', 'battery staple\r', 'enter')
    const frame = await ui.shows('Invalid password')
    expect(frame).toMatch(/❯ Current password *\n +Invalid password. Check your current password/)
    expect(frame).toMatch(/New password +•/)
    expect(await canSignIn(screens.service, ada)).toBe(true)
  })

  test('forgotten is set again by a mail, and signs in', async () => {
    const { service } = screens.own
    await service.person({ email: ada })
    const machine = screens.own.machine()
    const ui = screens.open(machine, { screen: 'accounts' })
    await choose(ui, 'Forgot the password')
    await ui.shows('postern account password forgot')
    ui.press(ada)
    await ui.shows(`postern account password forgot --email ${ada}`)
    ui.press('enter')
    await ui.shows(`If ${ada} has an account, a mail is on its way`)
    ui.press('enter')
    await ui.shows('Every session of the account ends')
    const { url } = await linkTo(service, ada, 'reset-password')
    ui.press(paste(url), 'enter', 'battery staple\r', 'battery staple')
    expect(await ui.shows('❯ Repeat the password ••')).not.toContain('battery')
    ui.press('enter')
    await ui.shows('Set the new password and ended every session')
    expect(await browsersOf(screens.own)).toEqual([])
    expect(await canSignIn(service, ada)).toBe(false)
    ui.press('enter')
    await ui.shows(`Email    ${ada}`)
    ui.press('battery staple\r')
    await ui.shows(`Signed in as ${ada}`)
    expect(await keptOn(machine)).toEqual([`${ada} *`])
  })
})

describe('an address that has to be verified first', () => {
  let strict: RunningService
  beforeAll(async () => {
    strict = await screens.own.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  })

  test('says so at sign-in, offers the form for its link, and leads back to the sign-in as it was typed', async () => {
    await screens.service.person({ email: ada })
    const machine = strict.machine()
    const ui = screens.open(machine)
    await ui.shows('Nobody is signed in here')
    ui.press('enter')
    await ui.shows('Password')
    ui.press(`${ada}\r`, `${testPassword}\r`)
    await ui.shows('Email not verified')
    expect(ui.frame()).toContain('enter  Verify or change an address with a link')
    ui.press('enter')
    await ui.shows('Link or token')
    const { url } = await linkTo(strict.service, ada, 'verify-email')
    ui.press(paste(url), 'enter')
    await ui.shows(`Verified ${ada}`)
    await ui.shows('❯ Password')
    ui.press('enter')
    await ui.shows(`Signed in as ${ada}`)
    expect(await keptOn(machine)).toEqual([`${ada} *`])
  })

  test('is verified after a sign-up that gave no session, or by a mail asked for once more', async () => {
    const { service } = strict
    const machine = strict.machine()
    const ui = screens.open(machine, { screen: 'accounts' })
    await choose(ui, 'Create an account')
    await ui.shows('Name')
    ui.press(`${ada}\r`, 'Ada\r', 'correct horse\r', 'correct horse\r')
    expect(await ui.shows(`Signed up ${ada}`)).toContain('If the address has to be verified first, a mail to')
    ui.press('down', 'enter')
    await ui.hides('Later')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('postern account email verify --send --email EMAIL')
    ui.press(`${ada}\r`)
    await ui.shows('that is not verified, a mail is on its way')
    ui.press('enter')
    await ui.shows('Link or token')
    expect(await mailsOf(service)).toEqual([`verify-email ${ada}`, `verify-email ${ada}`])
    const { token } = await linkTo(service, ada, 'verify-email')
    ui.press(paste(token), 'enter')
    await ui.shows(`Verified ${ada}`)
    ui.press('enter')
    await ui.shows(`Email    ${ada}`)
    expect(await userOf(service, ada)).toMatchObject({ emailVerified: true })
    expect(await keptOn(machine)).toEqual([])
  })
})

describe('deleting the account', () => {
  let byMail: RunningService
  beforeAll(async () => {
    byMail = await screens.own.sibling({ DELETE_USER_MODE: 'email' })
  })

  test('needs the address, typed; then it is gone here too', async () => {
    const { machine, ui } = await profile()
    ui.press('D')
    await ui.shows('Deletes ada@example.com for good')
    ui.press('ada\r', `${testPassword}\r`)
    expect(await ui.shows('This is not the e-mail address of your account')).not.toContain(testPassword)
    expect(screens.writes()).toEqual([])
    ui.press('@example.com')
    await ui.shows('❯ Your address ada@example.com')
    expect(ui.frame()).toContain('postern account delete --confirm ada@example.com')
    ui.press('enter', 'enter')
    await ui.shows(`Deleted ${ada}`)
    await ui.shows('Nobody is signed in here')
    expect([await peopleAt(screens.own), await keptOn(machine)]).toEqual([[], []])
  })

  test('says before and after what goes along, as it is when the form opens', async () => {
    const { service } = screens.own
    const machine = await signedIn(screens.own)
    await service.person({ email: bob })
    const solo = await organization(service, 'Solo', { [ada]: 'owner' })
    await organization(service, 'Shared', { [ada]: 'owner', [bob]: 'owner' })
    const ui = screens.open(machine, { size: { columns: 160, rows: 24 } })
    await ui.shows('you are in 2')
    ui.press('4')
    await ui.shows('Member since')
    await organization(service, 'Lonely', { [ada]: 'owner' })
    ui.press('D')
    const both = 'Solo (solo) and Lonely (lonely)'
    expect(await ui.shows(`Nobody else is in ${both}: they are deleted along with the account`)).not.toContain('Shared')
    await admit(service, bob, { organizationId: solo, role: 'owner' })
    ui.press(`${ada}\r`, `${testPassword}\r`)
    await ui.shows(`Deleted ${ada}, and with it Lonely (lonely)`)
    const left = await service.deps.sql`select slug from organizations order by slug`
    expect(left).toEqual([{ slug: 'shared' }, { slug: 'solo' }])
  })

  test.each([true, false])('by mail (the link: %s) says so too', async (isByLink) => {
    const { ui } = await profile({ at: byMail })
    await organization(byMail.service, 'Solo', { [ada]: 'owner' })
    await choose(ui, isByLink ? 'Delete the account with a link' : 'Delete the account(?! by)')
    await ui.shows('Nobody else is in Solo (solo)')
    expect([await peopleAt(screens.own), screens.writes()]).toEqual([[ada], []])
  })

  test('with a wrong password leaves it as it was', async () => {
    const { machine, ui } = await profile()
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`, 'wrong\r')
    await ui.shows('Invalid password')
    expect([await peopleAt(screens.own), await keptOn(machine)]).toEqual([[ada], [`${ada} *`]])
  })

  test('where the service asks by mail, that is said, and the link is taken at once', async () => {
    const { machine, ui } = await profile({ at: byMail })
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`, 'enter')
    await ui.shows(`Mailed ${ada} a link to confirm it; nothing is deleted yet`)
    expect(await peopleAt(screens.own)).toEqual([ada])
    ui.press('enter')
    await ui.shows(`Your address  ${ada}`)
    const { url } = await linkTo(byMail.service, ada, 'delete-account')
    ui.press('enter', paste(url), 'enter')
    await ui.shows('Nobody is signed in here')
    expect([await peopleAt(screens.own), await keptOn(machine)]).toEqual([[], []])
  })

  test('where the service lets nobody, that is said', async () => {
    const at = await screens.own.sibling({ DELETE_USER: 'off' })
    const { machine, ui } = await profile({ at })
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`, 'enter')
    expect(await ui.shows('On this service, users cannot delete their own account')).toContain(
      'Ask the operator of the service',
    )
    expect([await peopleAt(screens.own), await keptOn(machine)]).toEqual([[ada], [`${ada} *`]])
  })
})

test('read-only keeps all of it listed with the reason, and opens none', async () => {
  const { ui } = await profile({ isReadOnly: true })
  const frame = await ui.shows('Delete the account with a link')
  expect(frame.match(/read-only mode is on/g)).toHaveLength(7)
  ui.press('D')
  await ui.shows('Delete the account: read-only mode is on')
  ui.press('g', 'enter')
  await ui.shows('Edit profile: read-only mode is on')
  expect(screens.writes()).toEqual([])
})

test.each([
  { columns: 80, rows: 24 },
  { columns: 40, rows: 10 },
])('the forms fit a window of $columns by $rows', async (size) => {
  const { ui } = await profile({ size })
  await choose(ui, 'Change the password')
  await ui.shows('[ ] no')
  const lines = ui.frame().split('\n')
  expect(lines).toHaveLength(size.rows - 1)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
})
