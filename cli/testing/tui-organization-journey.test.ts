import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { linkTo } from '../../server/testing/mailed.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type OwnService, startOwnService } from './own-service.ts'
import type { Pty } from './pty.ts'
import { createRunner, type Runner } from './run-cli.ts'
import { ending, openTui, restored } from './tui-below-shell.ts'

// Terminals with a process each, and a whole journey in one test.
vi.setConfig({ testTimeout: 120_000 * slack })

const [ada, bob] = ['ada@example.com', 'bob@example.com'] as const
const secret = 'correct horse battery staple'

let home: string
const closing: (() => Promise<unknown> | void)[] = []
beforeEach(async () => {
  home = temporaryFolder('organization')
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Somebody with an account, a folder and a terminal of their own. */
async function person(url: string, email: string, name: string): Promise<{ run: Runner; terminal: Pty }> {
  const folder = join(home, name)
  const env = {
    HOME: folder,
    POSTERN_URL: url,
    POSTERN_STATE_DIR: join(folder, 'state'),
    POSTERN_CONFIG_DIR: join(folder, 'config'),
  }
  const run = createRunner({ env })
  await run(`sign-up --email ${email} --name ${name} --password-file -`, { stdin: secret })
  const terminal = openTui({ env })
  closing.push(terminal.close)
  await terminal.shows('Session ends')
  return { run, terminal }
}

/** Switches to the panel with that title. */
async function tabTo(terminal: Pty, title: string): Promise<void> {
  for (let count = 0; count < 6; count += 1) {
    const before = panelIn(await terminal.screen())
    if (before === title) return
    terminal.type('\t')
    // Not any other change of the screen: a second key would go too far.
    await expect.poll(async () => panelIn(await terminal.screen())).not.toBe(before)
  }
  throw new Error(`${title} cannot be reached`)
}

const panelIn = (screen: string): string | undefined => /\[([A-Z]\w+)/.exec(screen)?.[1]

async function createAndInvite(terminal: Pty): Promise<void> {
  terminal.type('5')
  await terminal.shows('You are in no organization yet')
  terminal.type('c')
  await terminal.shows('You become its owner')
  terminal.type('Acme\r\r\r\r')
  await terminal.shows('Created Acme (acme), the active organization now')
  await expect.poll(terminal.screen).toMatch(/· {2}Acme [^]*❯ Acme +acme .* active/)
  terminal.type('o')
  await terminal.shows('acme  active')
  terminal.type('\u001b[B\r')
  await terminal.shows('Using no organization')
  await expect.poll(terminal.screen).not.toMatch(/· {2}Acme /)
  terminal.type('\r')
  await terminal.shows('[Members 1]')
  terminal.type('c')
  await terminal.shows('A mail tells them how to accept')
  terminal.type(`${bob}\r\r\r`)
  await terminal.shows(`Invited ${bob} as member`)
}

async function verifyAndAccept(terminal: Pty, { service }: OwnService) {
  terminal.type('R')
  await terminal.shows('invitations are shown after that')
  terminal.type('\r')
  await terminal.shows('Verify or change an address with a link')
  terminal.type('\r')
  await terminal.shows('A mail with a link is on its way')
  terminal.type('\r')
  await terminal.shows('Verify or change an address with a link')
  terminal.type('\u001b[B\r')
  await terminal.shows('Link or token')
  terminal.type(`\u001b[200~${(await linkTo(service, bob, 'verify-email')).url}\n\u001b[201~`)
  await terminal.shows('•••')
  terminal.type('\r')
  await terminal.shows('❯ Invitation: Acme')
  terminal.type('\r')
  await terminal.shows('postern invitation accept')
  terminal.type('\r')
  await terminal.shows('Joined Acme as member, the active organization now')
  await terminal.hides('Invitation: Acme')
}

test('an organization from its creation to its deletion, by two people in two terminals', async () => {
  const own = await startOwnService({ TEAMS: 'on', DEFAULT_TEAM: 'off', INVITATION_REQUIRES_VERIFIED_EMAIL: 'on' })
  closing.push(own.stop)
  const [owner, guest] = [await person(own.url, ada, 'Ada'), await person(own.url, bob, 'Bob')]
  const { terminal } = owner
  await createAndInvite(terminal)
  expect((await owner.run('invitation list --org acme --json=email,status')).json).toMatchObject({
    items: [{ email: bob, status: 'pending' }],
  })
  await verifyAndAccept(guest.terminal, own)

  terminal.type('R')
  await terminal.shows('[Members 2]')
  terminal.type('Gr')
  await terminal.shows('[x] member')
  terminal.type('\u001b[C ')
  await terminal.shows('[x] admin')
  terminal.type('\r')
  await terminal.shows(`${bob} is member, admin`)
  await terminal.shows('member, admin')

  await tabTo(terminal, 'Teams')
  terminal.type('c')
  await terminal.shows('postern team create NAME --org acme')
  terminal.type('Design\r')
  await terminal.shows('[Teams 1]')
  terminal.type('\r')
  await terminal.shows('Nobody is in this team yet')
  terminal.type('c')
  await terminal.shows('Into Design')
  terminal.type('bob\r')
  await terminal.shows(`Put ${bob} into Design`)
  expect((await guest.run('member view bob@example.com --org acme --json=roles')).json).toEqual({
    roles: ['member', 'admin'],
  })
  expect((await guest.run('team member list --team Design --org acme --json=email')).json).toMatchObject({
    items: [{ email: bob }],
  })

  // An admin deletes nothing, and is told why before anything is sent.
  guest.terminal.type('5')
  await guest.terminal.shows('❯ Acme')
  guest.terminal.type('\r')
  await guest.terminal.shows('[Members 2]')
  await tabTo(guest.terminal, 'Settings')
  guest.terminal.type('D')
  await guest.terminal.shows('lacks organization:delete')

  terminal.type('\u001b')
  await terminal.shows('[Teams 1]')
  await tabTo(terminal, 'Settings')
  terminal.type('D')
  await terminal.shows('Type acme to confirm')
  terminal.type('acme\r')
  await terminal.shows('Deleted Acme (acme)')
  await terminal.shows('You are in no organization yet')
  expect((await guest.run('org list -q')).stdout).toBe('')

  guest.terminal.type('\u0003')
  expect(await ending(guest.terminal)).toEqual({ code: 130, ...restored })
  terminal.type('q')
  expect(await ending(terminal)).toEqual({ code: 0, ...restored })
})
