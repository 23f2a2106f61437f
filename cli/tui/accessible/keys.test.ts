import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { organization } from '../testing/organizations.ts'
import { ada, signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
let choose: LineDialogue['choose']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

async function start(): Promise<void> {
  const machine = await signedIn(screens.own)
  await organization(screens.own.service, 'Acme', { [ada]: 'owner' })
  const env = { ...machine.env, POSTERN_ACCESSIBLE: '1' }
  pty = startPty(process.execPath, [fixture], { rows: 120, columns: 160, env })
  ;({ answer, choose } = dialogueWith(pty))
}

test('a key in a conversation: made, read out once, looked at and revoked', async () => {
  await start()
  await choose('Organizations')
  await choose('Acme (acme)')
  await choose('Keys for machines')
  await pty.shows('0 keys.')
  await choose('Create a key')
  await answer('Name:', 'deploy')
  await answer('Roles (owner – refused: no machine is an owner, admin, member; several with commas):', 'admin')
  await answer('Scopes:', '')
  await answer('Expires in:', '')
  await answer('Taken from:', '')
  await pty.shows('Created the key deploy as admin. The same as: postern key create deploy --role admin --org acme')
  expect(await pty.shows('It is shown once, keep it where secrets are kept:')).toMatch(/kept: pst_\w+/)
  await choose('Keys for machines')
  await pty.shows('1 key.')
  await choose('deploy, as admin, ends in')
  expect(await pty.shows('Used last: never')).toMatch(/Roles: admin\s+Scopes: all that keys may\s+Taken from: anywhere/)
  await choose('Revoke')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('Revoked the key deploy.')
  expect(await screens.sql`select 1 from machine_keys`).toEqual([])
}, 30_000)
