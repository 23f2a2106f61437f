import { afterEach, describe, expect, test } from 'vitest'
import { addOrganization } from '../testing/fake-organization.ts'
import { FakeService } from '../testing/fake-service.ts'
import { type RenderOptions, renderTui, type Screen } from '../testing/render.tsx'

let screen: Screen
afterEach(() => screen.close())

const start = (options?: RenderOptions): Screen => {
  screen = renderTui(options)
  return screen
}

const ada = 'ada@example.com'

function signedIn(isVerified = false): FakeService {
  const service = new FakeService()
  service.signIn(ada)
  Object.assign(service.people.get(ada) ?? {}, { isVerified })
  return service
}

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`
const writes = ({ asked }: FakeService) => asked.filter((line) => line.startsWith('POST'))
const mailsTo = ({ mails }: FakeService) => mails.map(({ kind, to }) => `${kind} ${to}`)
const lastMail = ({ mails }: FakeService) => mails.at(-1) ?? { url: '', token: '' }

/** Goes down to an entry of the screen, and opens it. */
async function choose(ui: Screen, label: string): Promise<void> {
  const isThere = () => new RegExp(`❯ (\\+ )?${label}`).test(ui.frame())
  await ui.shows('❯')
  for (let count = 0; count < 20 && !isThere(); count += 1) {
    ui.press('j')
    // Not any other frame: what the service answers changes it as well.
    await ui.settled()
  }
  ui.press('enter')
}

describe('the address', () => {
  test('is verified by a mail that is asked for here, and its link, broken over lines, pasted', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('ada@example.com  (not verified)')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('A mail with a link is on its way')
    expect(ui.frame()).toContain('postern account email verify LINK')
    expect(mailsTo(ui.service)).toEqual([`verify ${ada}`])
    ui.press('enter')
    await ui.shows('Link or token')
    const { url, token } = lastMail(ui.service)
    ui.press(paste(`${url.slice(0, 70)}\r\n${url.slice(70)}\r\n`))
    expect(await ui.shows('••••')).not.toContain(token.slice(0, 20))
    ui.press('enter', 'enter')
    await ui.shows(`Verified ${ada}  ·  postern account email verify LINK`)
    await ui.shows('ada@example.com  (verified)')
  })

  test('once verified needs no mail: that stays listed, with the reason', async () => {
    const ui = start({ service: signedIn(true), screen: 'profile' })
    expect(await ui.shows('the address is verified already')).toContain('Mail a link to verify the address')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('Mail a link to verify the address: the address is verified already')
    expect(writes(ui.service)).toEqual([])
  })

  test('not verified is replaced at once, and the session goes on under the new one', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await choose(ui, 'Change the e-mail address')
    await ui.shows('is not verified: the new one takes its place at once')
    ui.press('Ada@Example.org')
    await ui.shows('postern account email set Ada@Example.org')
    ui.press('enter')
    await ui.shows('The address is now ada@example.org')
    expect([...ui.service.jars.keys()]).toEqual(['ada@example.org'])
    expect(ui.service.current).toBe('ada@example.org')
    ui.press('esc')
    expect(await ui.shows('ada@example.org  (not verified)')).toMatch(/postern +· +ada@example\.org/)
  })

  test('verified agrees by mail first; its link changes it', async () => {
    const ui = start({ service: signedIn(true), screen: 'profile' })
    await choose(ui, 'Change the e-mail address')
    await ui.shows('is verified: a mail to it asks for consent')
    ui.press('ada@example.org\r')
    await ui.shows(`Mailed ${ada} for consent; it stays the address until then`)
    expect(ui.service.people.has(ada)).toBe(true)
    ui.press('enter')
    await ui.shows('Link or token')
    ui.press(paste(lastMail(ui.service).token), 'enter', 'enter')
    await ui.shows('The address is now ada@example.org')
    expect(mailsTo(ui.service)).toEqual([`change ${ada}`, 'verify ada@example.org'])
    expect([...ui.service.jars.keys()]).toEqual(['ada@example.org'])
  })

  test('of somebody else is refused, and the form keeps what was typed', async () => {
    const service = signedIn()
    service.addPerson('bob@example.com')
    const ui = start({ service, screen: 'profile' })
    await choose(ui, 'Change the e-mail address')
    await ui.shows('New address')
    ui.press('bob@example.com\r')
    expect(await ui.shows("Couldn't update your email")).toContain('this one belongs to an account')
    ui.press('esc')
    await ui.shows('New address bob@example.com')
  })

  test.each([
    ['a link of another server', 'https://evil.example/api/auth/verify-email?token=abcdefghijklmnopqrst', 'leads to'],
    [
      'a link for something else',
      'http://localhost:4100/api/auth/reset-password/abcdefghijklmnopqrst',
      'It sets a new',
    ],
    ['no link at all', 'hello', 'Copy the whole link from the mail'],
    ['a link that is used up', `http://localhost:4100/api/auth/verify-email?token=${jwt()}`, 'This link is not valid'],
  ])('%s verifies nothing, and says what to do', async (_, text, said) => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await choose(ui, 'Verify or change address')
    await ui.shows('Link or token')
    ui.press(paste(text), 'enter', 'enter')
    await ui.shows(said)
    // A screen has keys, no flags and no pipes.
    expect(ui.frame()).not.toMatch(/Your session is over|--|postern (account|…)/)
    expect(ui.service.people.get(ada)?.isVerified).toBe(false)
  })
})

function jwt(): string {
  return `e30.${Buffer.from(JSON.stringify({ email: ada })).toString('base64url')}.signature`
}

describe('the password', () => {
  test('is changed with the present one, the new one twice, and no other session left', async () => {
    const service = signedIn()
    service.addSession(ada, 'Firefox 1')
    const ui = start({ service, screen: 'profile' })
    await choose(ui, 'Change the password')
    await ui.shows('Sign out elsewhere')
    ui.press('correct horse\r', 'battery staple\r', 'battery stable\r', 'space')
    await ui.shows('[x] yes')
    expect(ui.frame()).toContain('postern account password set --revoke-others')
    ui.press('enter')
    await ui.shows('This is not the same as above')
    expect(writes(ui.service)).toEqual([])
    ui.press('backspace', 'backspace', 'backspace', 'ple\r')
    expect(await ui.shows('❯ Sign out elsewhere')).not.toMatch(/battery|horse/)
    ui.press('enter')
    await ui.shows(`Changed the password of ${ada} and ended every other session`)
    expect(ui.service.people.get(ada)?.password).toBe('battery staple')
    expect(ui.service.sessions.map(({ userAgent }) => userAgent)).toEqual(['postern/0.1.0 linux'])
  })

  test('with a wrong present one stays as it was', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await choose(ui, 'Change the password')
    await ui.shows('Sign out elsewhere')
    ui.press('wrong\r', 'battery staple\r', 'battery staple\r', 'enter')
    expect(await ui.shows('Invalid password')).toContain('Check the password that you have now')
    expect(ui.service.people.get(ada)?.password).toBe('correct horse')
  })

  test('forgotten is set again by a mail, and signs in', async () => {
    const service = new FakeService()
    service.addPerson(ada)
    const ui = start({ service, screen: 'accounts' })
    await choose(ui, 'Forgot the password')
    await ui.shows('postern account password forgot')
    ui.press(`${ada}\r`)
    await ui.shows(`postern account password forgot --email ${ada}`)
    ui.press('enter')
    await ui.shows(`If ${ada} has an account, a mail is on its way`)
    ui.press('enter')
    await ui.shows('Every session of the account ends')
    ui.press(paste(lastMail(ui.service).url), 'enter', 'battery staple\r', 'battery staple\r')
    expect(await ui.shows('❯ Server')).not.toContain('battery')
    ui.press('enter')
    await ui.shows('Set the new password and ended every session')
    ui.press('enter')
    await ui.shows(`E-mail   ${ada}`)
    ui.press('enter', 'battery staple\r', 'enter')
    await ui.shows(`Signed in as ${ada}`)
  })
})

describe('an address that has to be verified first', () => {
  test('says so at sign-in, offers the form for its link, and leads back to the sign-in as it was typed', async () => {
    const service = new FakeService()
    service.addPerson(ada)
    service.isStrict = true
    const ui = start({ service })
    await ui.shows('Nobody is signed in here yet')
    ui.press('enter')
    await ui.shows('Password')
    ui.press(`${ada}\r`, 'correct horse\r', 'enter')
    await ui.shows('Email not verified')
    expect(ui.frame()).toContain('enter  Verify or change address by a link')
    ui.press('enter')
    await ui.shows('Link or token')
    ui.press(paste(lastMail(service).url), 'enter', 'enter')
    await ui.shows(`Verified ${ada}`)
    await ui.shows('❯ Server')
    ui.press('enter')
    await ui.shows(`Signed in as ${ada}`)
  })

  test('is verified after a sign-up that gave no session, or by a mail asked for once more', async () => {
    const service = new FakeService()
    service.isStrict = true
    const ui = start({ service, screen: 'accounts' })
    await choose(ui, 'Create an account')
    await ui.shows('Name')
    ui.press(`${ada}\r`, 'Ada\r', 'correct horse\r', 'correct horse\r', 'enter')
    expect(await ui.shows(`Signed up ${ada}`)).toContain('If the address has to be verified first, a mail to')
    ui.press('down', 'enter')
    await ui.hides('Later')
    await choose(ui, 'Mail a link to verify')
    await ui.shows('postern account email verify --send --email EMAIL')
    ui.press(`${ada}\r`, 'enter')
    await ui.shows('that is not verified, a mail is on its way')
    ui.press('enter')
    await ui.shows('Link or token')
    ui.press(paste(lastMail(service).token), 'enter', 'enter')
    await ui.shows(`Verified ${ada}`)
    ui.press('enter')
    await ui.shows(`E-mail   ${ada}`)
    expect(mailsTo(service)).toEqual([`verify ${ada}`, `verify ${ada}`])
  })
})

describe('deleting the account', () => {
  test('needs the address, typed; then it is gone here too', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('Member since')
    ui.press('D')
    await ui.shows('Deletes ada@example.com for good')
    ui.press('ada\r', 'correct horse\r')
    expect(await ui.shows('This is not the e-mail address of your account')).not.toContain('correct horse')
    expect(writes(ui.service)).toEqual([])
    ui.press('@example.com')
    await ui.shows('❯ Your address ada@example.com')
    expect(ui.frame()).toContain('postern account delete --confirm ada@example.com')
    ui.press('enter', 'enter')
    await ui.shows(`Deleted ${ada}`)
    await ui.shows('Nobody is signed in here yet')
    expect([...ui.service.people.keys(), ...ui.service.jars.keys()]).toEqual([])
  })

  test('says before and after what goes along, as it is when the form opens', async () => {
    const service = signedIn()
    const solo = addOrganization(service, 'Solo', { [ada]: 'owner' })
    addOrganization(service, 'Shared', { [ada]: 'owner', 'bob@example.com': 'owner' })
    const ui = start({ service, size: { columns: 160, rows: 24 } })
    await ui.shows('you are in 2')
    ui.press('4')
    await ui.shows('Member since')
    addOrganization(service, 'Lonely', { [ada]: 'owner' })
    ui.press('D')
    const both = 'Solo (solo) and Lonely (lonely)'
    expect(await ui.shows(`Nobody else is in ${both}: they are deleted along with the account`)).not.toContain('Shared')
    solo.members.push({ id: 'm-bob', email: 'bob@example.com', role: 'owner', teamId: null })
    ui.press(`${ada}\r`, 'correct horse\r')
    await ui.shows(`Deleted ${ada}, and with it Lonely (lonely)`)
  })

  test.each([true, false])('by mail (the link: %s) says so too', async (isByLink) => {
    const service = signedIn()
    service.deletesByMail = true
    addOrganization(service, 'Solo', { [ada]: 'owner' })
    const ui = start({ service, screen: 'profile' })
    await ui.shows('Member since')
    await choose(ui, isByLink ? 'Delete the account by a link' : 'Delete the account(?! by)')
    await ui.shows('Nobody else is in Solo (solo)')
    expect([service.people.has(ada), service.organizations.length]).toEqual([true, 1])
  })

  test('with a wrong password leaves it as it was', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('Member since')
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`, 'wrong\r')
    await ui.shows('Invalid password')
    expect([...ui.service.jars.keys()]).toEqual([ada])
  })

  test('where the service asks by mail, that is said, and the link is taken at once', async () => {
    const service = signedIn()
    service.deletesByMail = true
    const ui = start({ service, screen: 'profile' })
    await ui.shows('Member since')
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`, 'enter')
    await ui.shows(`Mailed ${ada} for consent; nothing is deleted yet`)
    expect(service.people.has(ada)).toBe(true)
    ui.press('enter')
    await ui.shows(`Your address  ${ada}`)
    ui.press('enter', paste(lastMail(service).url), 'enter')
    await ui.shows('Nobody is signed in here yet')
    expect([...service.people.keys(), ...service.jars.keys()]).toEqual([])
  })

  test('where the service lets nobody, that is said', async () => {
    const ui = start({ service: signedIn(), screen: 'profile' })
    await ui.shows('Member since')
    ui.press('D')
    await ui.shows('Deletes ada@example.com')
    ui.press(`${ada}\r`)
    await ui.shows('❯ Password')
    ui.service.deletesNobody = true
    ui.press('enter')
    expect(await ui.shows('This service lets nobody delete their own account')).toContain('Ask its owner')
  })
})

test('read-only keeps all of it listed with the reason, and opens none', async () => {
  const ui = start({ service: signedIn(), screen: 'profile', isReadOnly: true })
  const frame = await ui.shows('Delete the account by a link')
  expect(frame.match(/read-only mode is on/g)).toHaveLength(7)
  ui.press('D')
  await ui.shows('Delete the account: read-only mode is on')
  ui.press('g', 'enter')
  await ui.shows('Edit profile: read-only mode is on')
  expect(writes(ui.service)).toEqual([])
})

test.each([
  { columns: 80, rows: 24 },
  { columns: 40, rows: 10 },
])('the forms fit a window of $columns by $rows', async (size) => {
  const ui = start({ service: signedIn(), screen: 'profile', size })
  await choose(ui, 'Change the password')
  await ui.shows('[ ] no')
  const lines = ui.frame().split('\n')
  expect(lines).toHaveLength(size.rows - 1)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
})
