import { expect, test } from 'vitest'
import { useConversation } from '../testing/conversation.ts'
import { organization } from '../testing/organizations.ts'
import { ada, signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const { start, answer, choose, shows } = useConversation()

async function begin(): Promise<void> {
  const machine = await signedIn(screens.own)
  await organization(screens.own.service, 'Acme', { [ada]: 'owner' })
  start(machine)
}

test('a key in a conversation: made, read out once, looked at and revoked', async () => {
  await begin()
  await choose('Organizations')
  await choose('Acme (acme)')
  await choose('Keys for machines')
  await shows('0 keys.')
  await choose('Create a key')
  await answer('Name:', 'deploy')
  await answer('Roles (owner – refused: no machine is an owner, admin, member; several with commas):', 'admin')
  await answer('Scopes:', '')
  await answer('Expires in:', '')
  await answer('Taken from:', '')
  await shows('Created the key deploy as admin. The same as: postern key create deploy --role admin --org acme')
  const secret = /kept: pst_\w+/.exec(await shows('1 key.'))?.[0]
  await choose(`deploy, …${secret?.slice(-4)}, as admin, ends in`)
  expect(await shows('Taken from: anywhere')).toMatch(/Used last: never[^]*Roles: admin\s+Scopes: all that keys may/)
  await choose('Revoke')
  await answer('y for yes, anything else for no:', 'y')
  await shows('Revoked the key deploy.')
  expect(await screens.sql`select 1 from machine_keys`).toEqual([])
})
