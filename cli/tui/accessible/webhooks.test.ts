import { expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { useConversation } from '../testing/conversation.ts'
import { organization } from '../testing/organizations.ts'
import { ada } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const { start, answer, choose, shows } = useConversation()
const url = 'https://receiver.example.com/hook'

test('a webhook in a conversation: made, read out once, paused, looked at and deleted', async () => {
  const machine = await adminOf(screens.own)
  await organization(screens.own.service, 'Acme', { [ada]: 'owner' })
  start(machine)
  await choose('Organizations')
  await choose('Acme, slug acme')
  await choose('Webhooks')
  await shows('0 webhooks.')
  await choose('Create a webhook')
  await answer('Address:', url)
  await answer('Events:', 'member')
  await shows(`Created the webhook ${url}. The same as: postern webhook create ${url} --event member --org acme`)
  expect(await shows('1 webhook.')).toMatch(/safely: whsec_/)
  await choose(`active, address ${url}, events member, delivered never`)
  await choose('Pause')
  await shows(`Paused the webhook ${url}.`)
  await choose(`paused, address ${url}`)
  await shows('Delivered: never')
  await choose('Delete')
  await answer('y for yes, anything else for no:', 'y')
  await shows(`Deleted the webhook ${url}.`)
  expect(await screens.sql`select 1 from webhooks`).toEqual([])
})

test('those of the service are behind Administration', async () => {
  start(await adminOf(screens.own))
  await choose('Administration')
  await choose('Webhooks of the service')
  await shows('0 webhooks.')
  await choose('Create a webhook')
  await answer('Address:', url)
  await answer('Events:', '')
  await shows(`postern webhook create ${url} --platform`)
  expect(await screens.sql`select url from webhooks where organization_id is null`).toEqual([{ url }])
})
