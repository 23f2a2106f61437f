import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { mailTo } from '../testing/fake-mail.ts'
import { FakeService } from '../testing/fake-service.ts'

/** What the fake service mails first to ada@example.com. */
const strictLink = (() => {
  const service = new FakeService()
  mailTo(service, 'verify', 'ada@example.com')
  return service.mails[0]?.url ?? ''
})()

let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

function start(scenario: string): Pty {
  pty = startPty(process.execPath, [fixture, scenario], { rows: 60, columns: 120, env: { POSTERN_ACCESSIBLE: '1' } })
  answer = dialogueWith(pty).answer
  return pty
}

test('a person signs up, looks at the profile, changes it, and leaves', async () => {
  start('empty')
  await answer('Number:', '2')
  await answer('E-mail:', 'not an address')
  await pty.shows('An e-mail address looks like')
  await answer('E-mail:', 'ada@example.com')
  await answer('Name:', 'Ada Lovelace')
  await answer('Password: (not shown while you type)', 'correct horsX\u007fe')
  await answer('The same again: (not shown while you type)', 'correct horse')
  await answer('Server [http://localhost:4100/api/auth]:', '')
  await pty.shows('Signed up and in as ada@example.com. The same as: postern sign-up --email ada@example.com')
  await answer('Number:', '2')
  await pty.shows('E-mail: ada@example.com, not verified')
  await answer('Number:', '1')
  await answer('Name [Ada Lovelace]:', 'Ada King')
  await answer('Image URL:', '')
  await pty.shows('Updated ada@example.com. The same as: postern account edit --name')
  await pty.shows('Signed in as Ada King')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
  expect(await pty.scrollback()).not.toContain('correct hors')
})

test('the password typed without echo is the one that signs in again', async () => {
  start('signed-in')
  await answer('Number:', '4')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Signed out ada@example.com. The same as: postern sign-out --account ada@example.com')
  await answer('Number:', '1')
  await answer('E-mail:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'wrong')
  await answer('Server [http://localhost:4100/api/auth]:', '')
  await pty.shows('That did not work: Invalid email or password.')
  await answer('Number:', '1')
  await answer('E-mail:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'correct horsX\u007fe')
  await answer('Server [http://localhost:4100/api/auth]:', '')
  expect(await pty.shows('Signed in as ada@example.com. The same as: postern sign-in')).not.toContain('correct hors')
})

test('the address is verified, the password changed and the account deleted by the same forms', async () => {
  start('signed-in')
  await answer('Number:', '2')
  await pty.shows('7. Delete the account by a link')
  await answer('Number:', '3')
  await pty.shows(
    'A mail with a link is on its way to ada@example.com. The same as: postern account email verify --send',
  )
  await answer('Number:', '2')
  await answer('Number:', '4')
  await answer('Link or token: (not shown while you type)', 'hello')
  await answer('Server [http://localhost:4100/api/auth]:', '')
  await pty.shows('Copy the whole link from the mail.')
  await answer('Number:', '2')
  await answer('Number:', '5')
  await answer('Current password: (not shown while you type)', 'correct horse')
  await answer('New password: (not shown while you type)', 'battery staple')
  await answer('The same again: (not shown while you type)', 'battery stable')
  await pty.shows('This is not the same as above.')
  await answer('The same again: (not shown while you type)', 'battery staple')
  await answer('Sign out elsewhere (yes or no) [no]:', 'perhaps')
  await pty.shows('Answer yes or no.')
  await answer('Sign out elsewhere (yes or no) [no]:', 'yes')
  await pty.shows(
    'Changed the password of ada@example.com and ended every other session. The same as: postern account password',
  )
  await answer('Number:', '2')
  await answer('Number:', '6')
  await pty.shows('Deletes ada@example.com for good, with its sessions.')
  await answer('Your address:', 'y')
  await pty.shows('This is not the e-mail address of your account.')
  await answer('Your address:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'battery staple')
  await pty.shows('Deleted ada@example.com. The same as: postern account delete --confirm ada@example.com')
  await pty.shows('Nobody is signed in here yet.')
  expect(await pty.scrollback()).not.toMatch(/correct horse|battery/)
})

test('what is deleted along with the account is said before and after', async () => {
  start('sole')
  await answer('Number:', '2')
  await answer('Number:', '6')
  await pty.shows('Nobody else is in Solo (solo): it is deleted along with the account')
  await answer('Your address:', 'ada@example.com')
  await answer('Password: (not shown while you type)', '')
  await pty.shows('Deleted ada@example.com, and with it Solo (solo). The same as: postern account delete')
  expect(await pty.shows('Nobody is signed in here yet.')).toContain('Solo (solo)')
})

test('an address that is not verified is said so, and its link asked for when wanted', async () => {
  start('strict')
  await answer('Number:', '1')
  await answer('E-mail:', 'ada@example.com')
  await answer('Password: (not shown while you type)', 'correct horse')
  await answer('Server [http://localhost:4100/api/auth]:', '')
  await pty.shows('That did not work: Email not verified.')
  await answer('y to do it now, anything else for later:', 'y')
  await answer('Link or token: (not shown while you type)', strictLink)
  await answer('Server [http://localhost:4100/api/auth]:', '')
  await pty.shows('Verified ada@example.com. The same as: postern account email verify LINK')
  await answer('y to do it now, anything else for later:', '')
  expect(await pty.shows('3. Forgot the password')).not.toContain(strictLink)
})

test('one session is revoked after a yes; a no does nothing', async () => {
  start('signed-in')
  await answer('Number:', '1')
  await pty.shows('2. Firefox on Linux, last used 1 minute ago')
  await answer('Number:', '2')
  await answer('Number:', '1')
  await answer('y for yes, anything else for no:', '')
  await pty.shows('Nothing was done.')
  await answer('Number:', '1')
  await answer('Number:', '2')
  await answer('Number:', '1')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Revoked the session. The same as: postern session revoke s2')
  await answer('Number:', '1')
  expect(await pty.shows('1 session.')).toContain('this one')
})

test('read-only keeps what is refused in the menu, with its reason', async () => {
  start('read-only')
  await answer('Number:', '4')
  expect(await pty.shows('Sign out: read-only mode is on.')).toContain('4. Sign out (refused: read-only mode is on)')
})

test('lines are only added: no escape sequence at all, hostile names included', async () => {
  start('hostile')
  await answer('Number:', '1')
  await pty.shows('Fire\\nfox')
  await answer('Number:', '0')
  await answer('Number:', 'nonsense')
  await pty.shows('Type a number from 0 to 7.')
  await answer('Number:', '2')
  await pty.shows('owned\\u0007')
  expect(pty.raw()).not.toContain('\u001b')
})

test.each([
  ['Ctrl+C at a number', '\u0003', 130],
  ['Ctrl+D at a number', '\u0004', 0],
])('%s ends it', async (_, key, code) => {
  start('empty')
  await pty.shows('Number:')
  pty.type(key)
  expect(await pty.exit).toEqual({ exitCode: code, signal: 0 })
})

test('Ctrl+C while a password is typed ends it with the echo on again', async () => {
  const script = '"$0" "$@"; echo "ended $?"; stty -a; read -r _'
  const env = { POSTERN_ACCESSIBLE: '1' }
  pty = startPty('/bin/sh', ['-c', script, process.execPath, fixture, 'empty'], { rows: 60, env })
  answer = dialogueWith(pty).answer
  await answer('Number:', '1')
  await answer('E-mail:', 'ada@example.com')
  await pty.shows('Password:')
  pty.type('abc\u0003')
  const text = await pty.shows('extproc')
  expect(text).toContain('ended 130')
  expect(text).toMatch(/(?<!-)icanon/)
  expect(text).toMatch(/(?<!-)echo /)
})

test('linked accounts are read out, refreshed and removed, and one is linked in a browser', async () => {
  start('links')
  const open = async () => {
    await answer('Number:', '2')
    await answer('Number:', '8')
  }
  await open()
  await pty.shows('2 linked accounts.')
  await answer('Number:', '2')
  await pty.shows('Google google-123. Scopes: email.')
  await answer('Number:', '2')
  await pty.shows('Remove Google google-123? Nobody signs in to you by it any more.')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Removed Google google-123. The same as: postern account link remove google:google-123')
  await open()
  await answer('Number:', '1')
  await pty.shows('the password. Scopes: none.')
  await pty.shows('2. Remove (refused: It is the only way in which you sign in)')
  await answer('Number:', '0')
  await open()
  await answer('Number:', '2')
  await answer('Provider:', 'github')
  await pty.shows('http://localhost:4100/api/auth/page/device')
  await pty.shows('BCDF-GHJK')
  expect(await pty.shows('Linked GitHub 4711.')).toContain('The same as: postern account link add github')
})
