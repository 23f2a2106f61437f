import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'

const [ada, bob] = ['ada@example.com', 'bob@example.com'] as const

let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
let choose: LineDialogue['choose']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

function start(): void {
  const env = { POSTERN_ACCESSIBLE: '1' }
  pty = startPty(process.execPath, [fixture, 'organization'], { rows: 90, columns: 160, env })
  ;({ answer, choose } = dialogueWith(pty))
}

test('an organization in a conversation: roles, a team, an invitation, deletion by its slug', async () => {
  start()
  await choose('Organizations')
  await choose('Acme (acme)')
  await pty.shows('Acme (acme). Your role: owner.')
  await choose('Members, 2')
  expect(await pty.shows('\\u001b[2JBob')).not.toContain('\u001b')
  await choose(`${bob}, member`)
  await choose('Give other roles')
  await answer('Roles (owner, admin, member; several with commas) [member]:', 'admin, king')
  await pty.shows('Roles: there is no king.')
  await answer('[member]:', 'admin, member')
  await pty.shows(`${bob} is admin, member. The same as: postern member role set ${bob} admin member --org acme`)
  await choose('Members, 2')
  await choose(`${bob}, admin, member`)
  await choose('Put into the team Design')
  await pty.shows(`Put ${bob} into Design.`)
  await choose('Invitations, 0')
  await choose('Invite somebody')
  await answer('E-mail:', 'zoe@example.com')
  await answer('[member]:', '')
  await answer('Team (none, Design):', 'Design')
  await pty.shows('Invited zoe@example.com as member. The same as: postern invitation create zoe@example.com')
  await choose('Invitations, 1')
  await choose('zoe@example.com, pending, as member')
  await choose('Cancel')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Took the invitation of zoe@example.com back.')
  await choose('Delete the organization')
  await answer('Type acme to do it:', 'acme')
  await pty.shows('Deleted Acme (acme). The same as: postern org delete acme --confirm acme')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
})

test('an invitation to me is accepted, and what my role may not do is refused with the reason', async () => {
  start()
  await choose('Invitations to you')
  await choose('Accept Beta, as member, from bob@example.com')
  await pty.shows('Joined Beta as member, the active organization now. The same as: postern invitation accept')
  await choose('Organizations')
  await choose('Beta (beta)')
  await pty.shows('Delete the organization (refused: your role (member) lacks organization:delete)')
  await choose('Make it the active one')
  await pty.shows('Using Beta (beta). The same as: postern org use beta')
  await choose('Members, 2')
  await pty.shows(`Ada Lovelace  ${ada}, member`)
  await choose('Invite somebody')
  await pty.shows('Invite somebody: your role (member) lacks invitation:create.')
  await answer('Number:', '0')
  await choose('Back')
  await pty.shows('Working in Beta.')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
})
