import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Environment } from '../../server/config.ts'
import { linkTo } from '../../server/testing/mailed.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { dialogueWith } from './line-dialogue.ts'
import { startOwnService } from './own-service.ts'
import type { Pty } from './pty.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { createRunner } from './run-cli.ts'
import { ending, openTui, restored } from './tui-below-shell.ts'

// Terminals with a process each, and a whole journey in one test.
vi.setConfig({ testTimeout: 120_000 * slack })

const email = 'ada@example.com'
const first = 'correct horse battery staple'
const second = 'seven purple lanterns drifting'
const third = 'a quiet harbour before sunrise'

let home: string
const closing: (() => Promise<unknown> | void)[] = []
beforeEach(async () => {
  home = temporaryFolder('mailed')
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The service on a real socket; its mails wait in the outbox. */
async function start(settings: Environment = {}) {
  const { service, url, stop } = await startOwnService(settings)
  closing.push(stop)
  const urlTo = async (address: string, kind: string) => (await linkTo(service, address, kind)).url
  const env = {
    HOME: home,
    POSTERN_URL: url,
    POSTERN_STATE_DIR: join(home, 'state'),
    POSTERN_CONFIG_DIR: join(home, 'config'),
  }
  return { url, env, urlTo }
}

function track(terminal: Pty): Pty {
  closing.push(terminal.close)
  return terminal
}

const paste = (text: string) => `\u001b[200~${text}\n\u001b[201~`

/** Goes to an entry of the screen, and opens it. */
async function choose(terminal: Pty, label: string): Promise<void> {
  await terminal.shows(label)
  for (let count = 0; count < 20; count += 1) {
    const screen = await terminal.screen()
    const before = selectedIn(screen)
    if (before?.startsWith(label)) return terminal.type('\r')
    // One begins where one was before.
    terminal.type(screen.indexOf(label) < screen.indexOf('❯') ? 'k' : 'j')
    // Not any other change of the screen: a second key would go too far.
    await expect.poll(async () => selectedIn(await terminal.screen())).not.toBe(before)
  }
  throw new Error(`${label} cannot be reached`)
}

const selectedIn = (screen: string): string | undefined => /❯ (?:\+ )?(.*?) {2}/.exec(screen)?.[1]

async function signUp(terminal: Pty): Promise<void> {
  await terminal.shows('Nobody is signed in here')
  terminal.type('j\r')
  await terminal.shows('Create an account')
  terminal.type(`${email}\rAda Lovelace\r${first}\r${first}\r`)
  await terminal.shows(`Signed up and in as ${email}`)
}

async function verifyBy(terminal: Pty, link: string): Promise<void> {
  await choose(terminal, 'Verify or change an address with a link')
  await terminal.shows('Link or token')
  terminal.type(paste(link))
  await terminal.shows('•••')
  terminal.type('\r')
}

test('an account by its mails: verified, another password, forgotten, another address, deleted', async () => {
  const { url, env, urlTo } = await start()
  const elsewhere = createRunner({ env: { POSTERN_URL: url } })
  const terminal = track(openTui({ env }))
  await signUp(terminal)
  await elsewhere(`sign-in --email ${email} --password-file -`, { stdin: first })

  terminal.type('4')
  await terminal.shows(`${email}  (not verified)`)
  await choose(terminal, 'Mail a link to verify the address')
  await terminal.shows(`A mail with a link is on its way to ${email}`)
  terminal.type('\u001b')
  await terminal.hides('Later')
  await verifyBy(terminal, await urlTo(email, 'verify-email'))
  await terminal.shows(`Verified ${email}`)
  await terminal.shows(`${email}  (verified)`)

  await choose(terminal, 'Change the password')
  await terminal.shows('Sign out elsewhere')
  terminal.type(`${first}\r${second}\r${second}\r `)
  await terminal.shows('[x] yes')
  terminal.type('\r')
  await terminal.shows(`Changed the password of ${email} and ended every other session`)
  expect((await elsewhere('whoami')).code).toBe(4)

  terminal.type('2')
  await choose(terminal, 'Forgot the password')
  await terminal.shows('account password forgot')
  terminal.type(`${email}\r`)
  await terminal.shows('a mail is on its way')
  terminal.type('\r')
  await terminal.shows('Every session of the account ends')
  terminal.type(paste(await urlTo(email, 'reset-password')))
  await terminal.shows('•••')
  terminal.type(`\r${third}\r${third}\r`)
  await terminal.shows('Set the new password and ended every session')
  terminal.type('\r')
  await terminal.shows(`Email    ${email}`)
  terminal.type(`${third}\r`)
  await terminal.shows(`Signed in as ${email}`)
  await terminal.shows('Session ends')

  terminal.type('4')
  await choose(terminal, 'Change the e-mail address')
  await terminal.shows('is verified: you confirm the change by a mail to it')
  terminal.type('ada@example.org\r')
  await terminal.shows(`Mailed ${email} a link to confirm it`)
  terminal.type('\u001b')
  await terminal.hides('Later')
  await verifyBy(terminal, await urlTo(email, 'change-email'))
  await terminal.shows('The address is now ada@example.org')
  terminal.type('\u001b')
  await terminal.shows('ada@example.org  (not verified)')
  // The jar followed: the command line of the same machine is the same person.
  const here = createRunner({ env })
  expect((await here('whoami')).stdout).toBe('ada@example.org (Ada Lovelace)\n')

  terminal.type('D')
  await terminal.shows('Deletes ada@example.org for good')
  terminal.type(`${email}\r${third}\r`)
  await terminal.shows('This is not the e-mail address of your account')
  terminal.type('\u007f\u007f\u007forg\r\r')
  await terminal.shows('Deleted ada@example.org')
  await terminal.shows('Nobody is signed in here')
  expect((await here('auth list -q')).stdout).toBe('')
  terminal.type('q')
  expect(await ending(terminal)).toEqual({ code: 0, ...restored })
  expect(terminal.raw()).not.toMatch(/correct horse|seven purple|quiet harbour/)
})

test('where addresses have to be verified and deletion asks by mail, each refusal leads on', async () => {
  const { env, urlTo } = await start({ REQUIRE_EMAIL_VERIFICATION: 'on', DELETE_USER_MODE: 'email' })
  const terminal = track(openTui({ env }))
  await terminal.shows('Nobody is signed in here')
  terminal.type('j\r')
  await terminal.shows('Create an account')
  terminal.type(`${email}\rAda Lovelace\r${first}\r${first}\r`)
  await terminal.shows('If the address has to be verified first')
  terminal.type('\u001b')
  await terminal.hides('Later')
  terminal.type('k\r')
  await terminal.shows('Password')
  terminal.type(`${email}\r${first}\r`)
  await terminal.shows('Email not verified')
  terminal.type('\r')
  await terminal.shows('Link or token')
  terminal.type(paste(await urlTo(email, 'verify-email')))
  await terminal.shows('•••')
  terminal.type('\r')
  await terminal.shows(`Verified ${email}`)
  await terminal.shows('❯ Password')
  terminal.type('\r')
  await terminal.shows(`Signed in as ${email}`)

  await terminal.shows('Session ends')
  terminal.type('4')
  await terminal.shows('Member since')
  terminal.type('D')
  await terminal.shows('Deletes')
  terminal.type(`${email}\r\r`)
  await terminal.shows('nothing is deleted yet')
  terminal.type('\r')
  await terminal.shows(`Your address  ${email}`)
  terminal.type('\r')
  await terminal.shows('❯ Link or token')
  terminal.type(paste(await urlTo(email, 'delete-account')))
  await terminal.shows('•••')
  terminal.type('\r')
  await terminal.shows('Nobody is signed in here')
  terminal.type('q')
  expect(await ending(terminal)).toEqual({ code: 0, ...restored })
})

test('an adopted token goes on after the password was changed and every other session ended', async () => {
  const { env, url } = await start()
  const machine = (own: Record<string, string> = { POSTERN_URL: url }) => createRunner({ env: own })
  const [owner, stranger, here] = [machine(), machine(), machine(env)] as const
  await owner(`sign-up --email ${email} --name Ada --password-file -`, { stdin: first })
  await stranger(`sign-in --email ${email} --password-file -`, { stdin: first })
  await here('sign-in --token-file -', { stdin: (await owner('auth token')).stdout })
  const terminal = track(openTui({ env }))
  await terminal.shows('Session ends')
  terminal.type('4')
  await choose(terminal, 'Change the password')
  await terminal.shows('Sign out elsewhere')
  terminal.type(`${first}\r${second}\r${second}\r `)
  await terminal.shows('[x] yes')
  terminal.type('\r')
  await terminal.shows(`Changed the password of ${email} and ended every other session`)
  expect((await stranger('whoami')).code).toBe(4)
  expect((await here('whoami')).code).toBe(0)
  terminal.type('\u0003')
  expect(await ending(terminal)).toEqual({ code: 130, ...restored })
})

test('the same as a conversation in lines: a forgotten password is set by its link', async () => {
  const { env, url, urlTo } = await start()
  await createRunner({ env: { POSTERN_URL: url } })(`sign-up --email ${email} --name Ada --password-file -`, {
    stdin: first,
  })
  const terminal = track(
    startPty(process.execPath, [bin, 'tui'], { rows: 60, columns: 120, env: { ...env, POSTERN_ACCESSIBLE: '1' } }),
  )
  const { answer } = dialogueWith(terminal)
  await answer('Number:', '4')
  await answer('Email:', email)
  await answer('y to do it now, anything else to do it later:', 'y')
  const link = await urlTo(email, 'reset-password')
  await answer('Link or token: (not shown while you type)', link)
  await answer('New password: (not shown while you type)', second)
  await answer('Repeat the password: (not shown while you type)', second)
  await terminal.shows('Set the new password and ended every session.')
  await answer('y to do it now, anything else to do it later:', 'y')
  await answer(`Email [${email}]:`, '')
  await answer('Password: (not shown while you type)', second)
  await terminal.shows(`Signed in as Ada, ${email}`)
  await answer('Number:', '0')
  expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
  expect(terminal.raw()).not.toContain('\u001b')
  for (const secret of [second, link]) expect(terminal.raw()).not.toContain(secret)
})
