import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { userOf } from '../../../server/testing/mailed.ts'
import { slack } from '../../../server/testing/slack.ts'
import { startProviderService } from '../../testing/provider-service.ts'
import type { Pty } from '../../testing/pty.ts'
import { type Acme, acmeAt, createTeam, doneByBob, inviteTo, ownTeamsOnly, showAcme } from '../testing/acme.ts'
import { ada, bob, eve, verify } from '../testing/people.ts'
import { useScreensOf } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

// Every kind of change in one terminal, and each is undone.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreensOf(() => startProviderService(['GOOGLE'], ownTeamsOnly))
const startTui = useTui()
let pty: Pty | undefined
afterAll(() => pty?.close())

const [esc, right, down] = ['\u001b', '\u001b[C', '\u001b[B']

async function openAcme(acme: Acme, columns: number, rows: number): Promise<Pty> {
  pty?.close()
  const terminal = startTui({ env: acme.machine.env, columns, rows })
  pty = terminal
  await showAcme(terminal)
  return terminal
}

describe.each(sizesToStart)('at %i×%i', (columns, rows) => {
  test('the notice of every kind of change tells the key, and the key undoes it', async () => {
    const acme = await acmeAt(screens.own)
    const [teamId, { id: userId }] = [await createTeam(acme, 'Design'), await userOf(screens.service, bob)]
    await doneByBob(acme, 'add-team-member', { teamId, userId })
    await inviteTo(acme, 'zoe@example.com')
    const terminal = await openAcme(acme, columns, rows)
    const panel = async (title: string) => {
      terminal.type('\t')
      await terminal.shows(`[${title}`)
    }
    const undone = async (key: string, sentence: string) => {
      const told = await terminal.shows(key)
      expect(told.replaceAll(/\s+/g, ' ')).toContain(sentence)
      expect(told.split('\n').length).toBe(rows)
      terminal.type('u')
      await terminal.shows('Undone')
    }
    terminal.type('Gr')
    await terminal.shows('[ ] admin')
    terminal.type(`${right} `)
    await terminal.shows('[x] admin')
    terminal.type('\r')
    await undone('undoes it', `${eve} is member, admin. u undoes it`)
    terminal.type('Gt')
    await terminal.shows('team')
    terminal.type('\r')
    await undone('undoes it', `Put ${eve} into Design. u undoes it`)
    terminal.type('gjx')
    await terminal.shows('Take out of the team')
    terminal.type(`${down}${down}\r`)
    await terminal.shows(`Take ${bob}`)
    terminal.type('y')
    await undone('undoes it', `Took ${bob} out of Design. u undoes it`)
    await panel('Invitations')
    terminal.type('D')
    await terminal.shows('zoe@example.com')
    terminal.type('y')
    await undone('invites again', 'Took the invitation of zoe@example.com back. u invites again')
    await panel('Teams')
    terminal.type('e')
    await terminal.shows('Rename the team')
    terminal.type(' Lab\r')
    await undone('undoes it', 'Team Design is now Design Lab. u undoes it')
    await panel('Roles')
    await panel('Keys')
    await panel('Settings')
    terminal.type('e')
    await terminal.shows('Logo URL')
    terminal.type(' Works\r-works\r\r\r')
    await undone('undoes it', 'Updated Acme Works (acme-works). u undoes it')
    terminal.type('4')
    await terminal.shows(ada)
    terminal.type('e')
    await terminal.shows('Image URL')
    terminal.type('!\r\r\r')
    await undone('undoes it', `Updated ${ada}. u undoes it`)
    const [left] = await screens.sql`
      select m.roles, t.name as team, o.name, o.slug, (select name from users where email = ${ada}) as user
      from organizations o cross join teams t cross join members m join users u on u.id = m.user_id where u.email = ${eve}`
    expect(left).toEqual({ roles: ['member'], team: 'Design', name: 'Acme', slug: 'acme', user: 'Ada Lovelace' })
    expect(await screens.sql`select email from team_members join users on users.id = user_id`).toEqual([{ email: bob }])
  })

  test('sixty refreshes at once are few, and a provider is picked among those that are on', async () => {
    const acme = await acmeAt(screens.own)
    await verify(screens.own, ada)
    const terminal = await openAcme(acme, columns, rows)
    const call = 'GET /organization/get-full-organization'
    const reads = () => screens.own.asked.filter((asked) => asked === call).length
    const [before, held] = [reads(), screens.own.hold(call)]
    onTestFinished(held.release)
    terminal.type('R'.repeat(60))
    await expect.poll(reads).toBeGreaterThan(before)
    terminal.type('G')
    await terminal.shows('❯  Eve Moss')
    held.release()
    await expect.poll(reads).toBeGreaterThan(before + 1)
    terminal.type('4')
    await terminal.shows(ada)
    terminal.type(':')
    await terminal.shows('Command')
    terminal.type('linked acc\r')
    await terminal.shows('Password')
    terminal.type('c')
    const picker = await terminal.shows('Another, by its name')
    expect(picker).toContain('Google')
    expect(picker).not.toContain('GitHub')
    expect(picker.split('\n').length).toBe(rows)
    terminal.type(esc)
    await terminal.hides('Another, by its name')
    // What reads by the clock may have come too.
    expect(reads()).toBeLessThan(before + 10)
  })
})
