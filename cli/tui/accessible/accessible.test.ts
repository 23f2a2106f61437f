import { expect, test } from 'vitest'
import { canSignIn, linkTo, userOf } from '../../../server/testing/mailed.ts'
import { ageSessions } from '../../../server/testing/rows.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { useConversation } from '../testing/conversation.ts'
import { browsersOf, keptOn, peopleAt, sessionsOf } from '../testing/kept.ts'
import { organization } from '../testing/organizations.ts'
import { ada, signedIn, thisProgram } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()
const { start, startIn, answer, shows, type, exit, raw, scrollback } = useConversation()

test('a person signs up, looks at the profile, changes it, and leaves', async () => {
  const machine = screens.own.machine()
  expect((await machine('tui --help')).stdout).toContain('POSTERN_ACCESSIBLE=1 postern tui')
  start(machine)
  await answer('Number:', '3')
  await answer('Email:', 'not an address')
  await shows('An e-mail address looks like')
  await answer('Email:', 'ada@example.com')
  await answer('Name:', 'Ada Lovelace')
  await answer('Password: (not shown while you type)', 'short')
  await answer('Repeat the password: (not shown while you type)', 'short')
  await shows('Password too short: choose another one, at least 8 characters. Your other answers are kept.')
  await answer('Password: (not shown while you type)', 'correct horsX\u007fe')
  await answer('Repeat the password: (not shown while you type)', 'correct horse')
  await shows('Signed up and in as ada@example.com. The same as: postern sign-up --email ada@example.com')
  await answer('Number:', '4')
  await shows('Email: ada@example.com, not verified')
  await answer('Number:', '1')
  await answer('Name [Ada Lovelace]:', 'Ada King')
  await answer('Image URL:', '')
  await answer('Language (auto, en, de, es, fr) [auto; - removes it]:', 'de')
  await shows('Updated ada@example.com. The same as: postern account edit --name')
  await shows('Name: Ada King')
  await shows('Language: de')
  await answer('Number:', '0')
  await shows('Signed in as Ada King')
  await answer('Number:', '0')
  expect(await exit()).toEqual({ exitCode: 0, signal: 0 })
  expect(await scrollback()).not.toContain('correct hors')
  const { service } = screens.own
  expect(await service.deps.sql`select email, name, language from users`).toEqual([
    { email: ada, name: 'Ada King', language: 'de' },
  ])
  expect(await canSignIn(service, ada, 'correct horse')).toBe(true)
  expect(await keptOn(machine)).toEqual([`${ada} *`])
})

test('the password typed without echo is the one that signs in again', async () => {
  start(await signedIn(screens.own))
  await answer('Number:', '2')
  await shows('Switch to ada@example.com at')
  await answer('Number:', '0')
  await answer('Number:', '8')
  await answer('y for yes, anything else for no:', 'y')
  await shows('Signed out ada@example.com. The same as: postern sign-out --account ada@example.com')
  await answer('Number:', '1')
  await answer('Email:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'wrong')
  await shows('Invalid email or password: type it again. Your other answers are kept.')
  await answer('Password: (not shown while you type)', `${testPassword}X\u007f`)
  expect(await shows('Signed in as ada@example.com. The same as: postern sign-in')).not.toContain('correct hors')
  expect(await browsersOf(screens.own)).toEqual([thisProgram])
})

test('the address is verified, the password changed and the account deleted by the same forms', async () => {
  start(await signedIn(screens.own, 1))
  await answer('Number:', '4')
  await shows('7. Delete the account with a link')
  await answer('Number:', '3')
  await shows('A mail with a link is on its way to ada@example.com. The same as: postern account email verify --send')
  await answer('Number:', '4')
  await answer('Link or token: (not shown while you type)', 'hello')
  await shows('Copy the whole link from the mail.')
  await answer('Number:', '5')
  await answer('Current password: (not shown while you type)', testPassword)
  await answer('New password: (not shown while you type)', 'battery staple')
  await answer('Repeat the password: (not shown while you type)', 'battery stable')
  await shows('This does not match the line above. Both are asked again.')
  await answer('New password: (not shown while you type)', 'battery staple')
  await answer('Repeat the password: (not shown while you type)', 'battery staple')
  await answer('Sign out elsewhere (yes or no) [no]:', 'perhaps')
  await shows('Answer yes or no.')
  await answer('Sign out elsewhere (yes or no) [no]:', 'yes')
  await shows(
    'Changed the password of ada@example.com and ended every other session. The same as: postern account password',
  )
  expect(await browsersOf(screens.own)).toEqual([thisProgram])
  await answer('Number:', '6')
  await shows('Deletes ada@example.com for good, with its sessions.')
  await answer('Your address:', 'y')
  await shows('This is not the e-mail address of your account.')
  await answer('Your address:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'battery staple')
  await shows('Deleted ada@example.com. The same as: postern account delete --confirm ada@example.com')
  await shows('Nobody is signed in here.')
  expect(await scrollback()).not.toMatch(/correct horse|battery/)
  expect(await peopleAt(screens.own)).toEqual([])
})

test('what is deleted along with the account is said before and after', async () => {
  const machine = await signedIn(screens.own)
  await organization(screens.service, 'Solo', { [ada]: 'owner' })
  start(machine)
  await answer('Number:', '4')
  await answer('Number:', '6')
  await shows('Nobody else is in Solo (solo): it is deleted along with the account')
  await answer('Your address:', 'ada@example.com')
  await answer('Password: (not shown while you type)', '')
  await shows('Deleted ada@example.com, and with it Solo (solo). The same as: postern account delete')
  expect(await shows('Nobody is signed in here.')).toContain('Solo (solo)')
  expect(await screens.sql`select name from organizations`).toEqual([])
})

test('an address that is not verified is said so, and its link asked for when wanted', async () => {
  const strict = await screens.own.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  await strict.service.visitor().post('/sign-up/email', { email: ada, name: 'Ada', password: testPassword })
  start(strict.machine())
  await answer('Number:', '1')
  await answer('Email:', 'ada@example.com')
  await answer('Password: (not shown while you type)', testPassword)
  await shows('That did not work: Email not verified.')
  await answer('y to do it now, anything else to do it later:', 'y')
  const { url } = await linkTo(strict.service, ada, 'verify-email')
  await answer('Link or token: (not shown while you type)', url)
  await shows('Verified ada@example.com. The same as: postern account email verify LINK')
  await answer('y to do it now, anything else to do it later:', '')
  expect(await shows('4. Forgot the password')).not.toContain(url)
  expect(await userOf(strict.service, ada)).toMatchObject({ emailVerified: true })
})

test('one session is revoked after a yes; a no does nothing', async () => {
  const machine = await signedIn(screens.own, 1)
  await ageSessions(screens.service, ada, 3.5 * 3600)
  const [, firefox] = await sessionsOf(screens.own)
  start(machine)
  await answer('Number:', '3')
  expect(await shows('3. Revoke all others')).toMatch(/2\. Firefox 1, address [\d.]+, updated 3 hours ago/)
  await answer('Number:', '2')
  expect(await shows('Current: no')).toMatch(/Client: Firefox 1\s+Address: /)
  await answer('Number:', '1')
  await answer('y for yes, anything else for no:', '')
  await shows('Nothing was done.')
  expect(await browsersOf(screens.own)).toHaveLength(2)
  await answer('Number:', '2')
  await answer('Number:', '1')
  await answer('y for yes, anything else for no:', 'y')
  await shows(`Revoked the session. The same as: postern session revoke ${firefox?.id}`)
  expect(await browsersOf(screens.own)).toEqual([thisProgram])
  expect(await shows('1 session.')).toContain('this one')
})

test('a session that was ended elsewhere leads back to the first menu, which signs in', async () => {
  const machine = await signedIn(screens.own)
  await organization(screens.service, 'Acme', { [ada]: 'owner' })
  start(machine)
  await answer('Number:', '5')
  await shows('1 organization.')
  await screens.sql`delete from sessions`
  await answer('Number:', '1')
  await shows('That did not work: Not signed in.')
  await shows('was ended elsewhere')
  expect(await shows('1. Sign in')).not.toContain('Acme (acme)')
})

test('organizations are asked for again, so that those of an ended session are not listed', async () => {
  const machine = await signedIn(screens.own)
  start(machine)
  await shows('Number:')
  await organization(screens.service, 'Acme', { [ada]: 'owner' })
  await answer('Number:', '5')
  await shows('1 organization.')
  await answer('Number:', '0')
  await shows('Signed in as')
  await screens.sql`delete from sessions`
  await answer('Number:', '5')
  expect(await shows('was ended elsewhere')).not.toMatch(/1 organization\.[^]*1 organization\./)
})

test('read-only keeps what is refused in the menu, with its reason', async () => {
  const machine = await signedIn(screens.own)
  await machine('config set read-only on')
  start(machine)
  await answer('Number:', '8')
  expect(await shows('Sign out: read-only mode is on.')).toContain('8. Sign out (refused: read-only mode is on)')
})

test('lines are only added: no escape sequence at all, hostile names included', async () => {
  const machine = await signedIn(screens.own)
  // Written to the database directly, since another service might send such a name.
  const { sql } = screens.service.deps
  const name = '\u001b[2J\u001b]0;owned\u0007\u001b]52;c;ZWNobw==\u0007Ada\rEve\u202ecod'
  const browser = '\u001b]8;;https://evil.example\u001b\\Fire\nfox\u009b2J'
  await Promise.all([sql`update users set name = ${name}`, sql`update sessions set user_agent = ${browser}`])
  start(machine)
  await answer('Number:', '3')
  await shows('Fire\\nfox')
  await answer('Number:', '0')
  await answer('Number:', 'nonsense')
  await shows('Nothing matches. Type a number from 0 to 9, or part of a name; an empty answer reads the list.')
  await answer('Number:', '4')
  await shows('owned\\u0007')
  expect(raw()).not.toContain('\u001b')
})

test.each([
  ['Ctrl+C at a number', '\u0003', 130],
  ['Ctrl+D at a number', '\u0004', 0],
])('%s ends it', async (_, key, code) => {
  start(screens.own.machine())
  await shows('Number:')
  type(key)
  expect(await exit()).toEqual({ exitCode: code, signal: 0 })
})

test('Ctrl+C ends it at once while the service does not answer', async () => {
  start(await signedIn(screens.own))
  await shows('Number:')
  const held = screens.own.hold('GET /list-sessions')
  type('3\r')
  await expect.poll(() => screens.own.asked.includes('GET /list-sessions')).toBe(true)
  type('\u0003')
  const ended = await exit()
  held.release()
  expect(ended).toEqual({ exitCode: 130, signal: 0 })
})

test('Ctrl+C while a password is typed ends it with the echo on again', async () => {
  const script = '"$0" "$@"; echo "ended $?"; stty -a; read -r _'
  startIn(script, screens.own.machine())
  await answer('Number:', '1')
  await answer('Email:', 'ada@example.com')
  await shows('Password:')
  type('abc\u0003')
  const text = await shows('extproc')
  expect(text).toContain('ended 130')
  expect(text).toMatch(/(?<!-)icanon/)
  expect(text).toMatch(/(?<!-)echo /)
})

test('a dot leaves any question, as was said at the start, and the numbers are those of the screens', async () => {
  start(await signedIn(screens.own, 1))
  await shows('. alone leaves any question')
  expect(await shows('Number:')).toMatch(
    /1\. Home.*\n2\. Accounts\n3\. Sessions\n4\. Profile\n5\. Organizations\n6\. Administration \(refused: .*\n7\. Requests\n8\. Sign out/,
  )
  await answer('Number:', '4')
  await answer('Number:', '1')
  await answer('Name [Ada Lovelace]:', 'Somebody Else')
  await answer('Image URL:', '.')
  await shows('Cancelled, nothing was sent.')
  await answer('Number:', '5')
  await answer('Current password: (not shown while you type)', '.')
  await answer('Number:', '.')
  await shows('5. Organizations')
  await answer('Number:', '3')
  await shows('2. Firefox 1')
  await answer('Number:', '1')
  await answer('Number:', '1')
  await shows('Revoke this session and sign out here?')
  await answer('y for yes, anything else for no:', '.')
  await shows('Nothing was done.')
  await answer('Number:', '.')
  await answer('Number:', '7')
  await shows('postern session list')
  await answer('Number:', '.')
  expect(await exit()).toEqual({ exitCode: 0, signal: 0 })
  expect(await browsersOf(screens.own)).toHaveLength(2)
  expect(await screens.sql`select name from users`).toEqual([{ name: 'Ada Lovelace' }])
})
