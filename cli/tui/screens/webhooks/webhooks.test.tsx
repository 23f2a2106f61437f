import { expect, test } from 'vitest'
import { adminOf } from '../../../testing/admin.ts'
import { acmeAt, openAcme, tabTo } from '../../testing/acme.ts'
import { useScreens } from '../../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const wide = { size: { columns: 120, rows: 30 } }
const aSecret = /whsec_[\w+/]+=/
const url = 'https://receiver.example.com/hook'

const kept = () => screens.sql`select url, events, paused from webhooks`

test('one of an organization is made, shown once, changed, paused, rotated and deleted', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, wide)
  await tabTo(ui, 'Settings')
  await ui.shows('w webhooks')
  ui.press('w')
  await ui.shows('No webhooks. c sends what the audit trail records to an address.')
  ui.press('c')
  await ui.shows('Without events, it is told all.')
  ui.press('hook\r', 'enter')
  await ui.shows('Address must be an address like https://example.com/hook')
  ui.press('\u0015', `${url}\r`, 'member,team')
  await ui.shows(`postern webhook create ${url} --event member,team --org acme`)
  ui.press('enter')
  const panel = await ui.shows('This is shown once')
  const [secret = ''] = aSecret.exec(panel) ?? []
  expect(secret).toMatch(aSecret)
  ui.press('esc')
  await ui.hides(secret)
  await ui.shows(`❯  active  ${url}`)
  expect(await kept()).toEqual([{ url, events: ['member', 'team'], paused: false }])
  ui.press('p')
  await ui.shows(`Paused the webhook ${url}`)
  await ui.shows(`❯  paused  ${url}`)
  ui.press('p')
  await ui.shows('sends again')
  ui.press('e')
  await ui.shows('Without events, it is told all.')
  ui.press('enter', '\u0015')
  await ui.shows("--event ''")
  ui.press('enter')
  await ui.shows(`Updated the webhook ${url}`)
  expect(await kept()).toEqual([{ url, events: null, paused: false }])
  ui.press('x')
  await ui.shows('Rotate the secret')
  while (!/❯[^\n]*Rotate/.test(ui.frame())) {
    ui.press('down')
    await ui.settled()
  }
  ui.press('enter')
  await ui.shows('Old secret valid for')
  ui.press('enter')
  const [rotated = ''] = aSecret.exec(await ui.shows('This is shown once')) ?? []
  expect([rotated === secret, aSecret.test(rotated)]).toEqual([false, true])
  ui.press('esc')
  await ui.hides(rotated)
  ui.press('D')
  await ui.shows('What is not delivered yet is not sent any more.')
  ui.press('y')
  await ui.shows('No webhooks.')
  expect(await kept()).toEqual([])
})

test('while another is marked, nothing is done to the selected one alone', async () => {
  const acme = await acmeAt(screens.own)
  for (const name of ['one', 'two']) await acme.machine(['webhook', 'create', `${url}-${name}`, '--org', 'acme'])
  const ui = await openAcme(screens, acme, wide)
  await tabTo(ui, 'Settings')
  await ui.shows('w webhooks')
  ui.press('w')
  await ui.shows(`${url}-two`)
  ui.press('space')
  await ui.shows('1 marked')
  ui.press('p')
  await ui.shows('one at a time: another is marked')
  ui.press('x')
  expect(await ui.shows('Rotate the secret')).toContain('one at a time: another is marked')
  ui.press('esc', '/', 'nothing like it', 'enter', 'x')
  await ui.shows('No webhook selected')
  expect((await kept()).map(({ paused }) => paused)).toEqual([false, false])
})

test('one is looked at and deleted, and no request shows its secret', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, wide)
  await tabTo(ui, 'Settings')
  ui.press('w', 'c')
  await ui.shows('The secret is shown once')
  ui.press(`${url}\r`, 'enter')
  const [secret = ''] = aSecret.exec(await ui.shows('This is shown once')) ?? []
  ui.press('esc')
  await ui.hides(secret)
  await ui.shows(`❯  active  ${url}`)
  ui.press('enter')
  await ui.shows('Rotate the secret')
  expect(ui.frame()).toMatch(/Delivered +never/)
  ui.press('D')
  await ui.shows('What is not delivered yet is not sent any more.')
  ui.press('y')
  await ui.shows('No webhooks.')
  expect(await kept()).toEqual([])
  ui.press('7')
  await ui.hides('No webhooks.')
  ui.press('/', 'webhook cre', 'enter')
  await ui.shows('POST /webhook/create')
  ui.press('enter')
  expect(await ui.shows('Request id')).not.toContain(secret)
})

test('who may not read the trail is told why, and asks for nothing', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own, 'member'), wide)
  await tabTo(ui, 'Settings')
  ui.press('w')
  await ui.shows('lacks organization:update')
  expect(screens.own.asked.filter((call) => call.includes('/webhook/'))).toEqual([])
})

test('those of the service are opened from Admin, and replayed from a cursor', async () => {
  const machine = await adminOf(screens.own)
  await machine(`webhook create ${url} --platform`)
  const { json } = await machine('webhook list --platform --json=cursor')
  const [{ cursor }] = (json as { items: [{ cursor: string }] }).items
  const ui = screens.open(machine, { screen: 'admin', ...wide })
  await ui.shows('w webhooks')
  ui.press('w')
  await ui.shows(`❯  active  ${url}`)
  ui.press('x')
  await ui.shows('Retry or replay')
  while (!/❯[^\n]*Retry/.test(ui.frame())) {
    ui.press('down')
    await ui.settled()
  }
  ui.press('enter')
  await ui.shows('A cursor sends again everything after it.')
  ui.press('nowhere\r')
  await ui.shows('Expected the value of latest')
  ui.press('\u0015', `${cursor}\r`)
  await ui.shows(`Resumed the webhook ${url}`)
  ui.press('c')
  expect(await ui.shows('The secret is shown once')).toContain('postern webhook create URL --platform')
})
