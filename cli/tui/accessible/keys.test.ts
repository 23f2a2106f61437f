import { expect, test } from 'vitest'
import { done } from '../../../server/testing/organizations.ts'
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
  await choose('Acme, slug acme')
  await choose('Keys for machines')
  await shows('0 keys.')
  await choose('Create a key')
  await answer('Name:', 'deploy')
  await answer('Roles (owner – refused: a machine cannot be an owner, admin, member; several with commas):', 'admin')
  await answer('Scopes:', '')
  await answer('Expires in:', '')
  await answer('Allowed from:', '')
  await answer('Rotates itself (yes or no) [no]:', '')
  await shows('Created the key deploy as admin. The same as: postern key create deploy --role admin --org acme')
  const secret = /safely: pst_\w+/.exec(await shows('1 key.'))?.[0]
  await choose(`deploy, secret …${secret?.slice(-4)}, roles admin, expires in`)
  expect(await shows('Allowed from: anywhere')).toMatch(/Used: never[^]*Roles: admin\s+Scopes: all that keys can do/)
  await choose('Revoke')
  await answer('y for yes, anything else for no:', 'y')
  await shows('Revoked the key deploy.')
  expect(await screens.sql`select 1 from machine_keys`).toEqual([])
})

test('in a conversation, a key and a rule of somebody who is gone are said to be powerless, and adopted', async () => {
  await begin()
  const { sql } = screens
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from organizations`
  const eve = await screens.own.service.person({ name: 'Eve' })
  await sql`
    insert into members (id, organization_id, user_id, roles) select 'm', ${id}, id, '{admin}' from users where email = ${eve.email}
  `
  await done(eve.post('/key/create', { name: 'deploy', role: 'admin', organizationId: id }))
  const claims = { project_path: 'acme/site' }
  const rule = { name: 'site', role: 'admin', organizationId: id, issuer: 'https://gitlab.com', claims }
  await done(eve.post('/key/trust/create', rule))
  await sql`delete from members where id = 'm'`
  await choose('Organizations')
  await choose('Acme, slug acme')
  await choose('Keys for machines')
  expect(await shows('powerless')).toMatch(
    /deploy, secret …\w{4}, roles admin, expires in \d+ days, used never, powerless/,
  )
  await choose('deploy')
  await shows('Responsible: Eve, not an active member: it can do nothing')
  await choose('Adopt')
  await shows('You are responsible for the key deploy.')
})

test('in a conversation, a member is removed together with their keys', async () => {
  await begin()
  const { sql } = screens
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from organizations`
  const eve = await screens.own.service.person({ name: 'Eve' })
  await sql`
    insert into members (id, organization_id, user_id, roles) select 'm', ${id}, id, '{admin}' from users where email = ${eve.email}
  `
  await done(eve.post('/key/create', { name: 'deploy', role: 'admin', organizationId: id }))
  await choose('Organizations')
  await choose('Acme, slug acme')
  await choose('Members')
  await choose('Eve')
  await choose('Remove, and revoke their keys')
  await shows('This revokes the keys and trust rules that they are responsible for.')
  await answer('y for yes, anything else for no:', 'y')
  await shows('Revoked 1 key or trust rule of theirs')
  expect(await sql`select from machine_keys`).toEqual([])
})
