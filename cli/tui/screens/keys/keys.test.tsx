import { describe, expect, test } from 'vitest'
import { acmeAt, openAcme, tabTo } from '../../testing/acme.ts'
import { ada, signedIn } from '../../testing/people.ts'
import { useScreens } from '../../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const wide = { size: { columns: 120, rows: 30 } }
const aKey = /pst_\w+/

const kept = () => screens.sql`
  select k.name, m.roles, k.scopes from machine_keys k left join members m on m.user_id = k.user_id order by k.created_at
`
/** Whether the service takes the key. */
const isTaken = async (token: string) =>
  (await fetch(`${screens.own.url}/api/auth/organization/list`, { headers: { authorization: `Bearer ${token}` } })).ok

describe('keys of an organization', () => {
  test('one is made, shown once, used, rotated and revoked', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme, wide)
    await tabTo(ui, 'Keys')
    await ui.shows('No keys. c creates one.')
    ui.press('c')
    await ui.shows('It is shown once, and kept nowhere.')
    ui.press('deploy\r', 'right', 'space')
    await ui.shows('postern key create deploy --role admin --org acme')
    ui.press('enter', 'enter', '9d', 'enter', 'enter')
    const panel = await ui.shows('Created the key deploy as admin')
    await ui.shows('This is shown once')
    const [key = ''] = aKey.exec(panel) ?? []
    expect(await isTaken(key)).toBe(true)
    // Not closed by a key that was typed ahead.
    ui.press('enter')
    expect(await ui.shows('This is shown once')).toContain(key)
    ui.press('esc')
    await ui.hides(key)
    expect(await ui.shows('expiring')).toMatch(/deploy +admin +in \d+ days/)
    expect(await kept()).toEqual([{ name: 'deploy', roles: ['admin'], scopes: null }])
    ui.press('enter')
    expect(await ui.shows('from 127.0.0.1')).toContain('Used last')
    ui.press('e')
    await ui.shows('Without a time, the old one works for a day')
    ui.press('enter', 'enter')
    const [next = ''] = aKey.exec(await ui.shows('Rotated the key deploy')) ?? []
    expect([next === key, await isTaken(key), await isTaken(next)]).toEqual([false, true, true])
    ui.press('esc')
    await ui.hides(next)
    ui.press('D')
    await ui.shows('Revoke the key deploy? What uses it is refused at once.')
    ui.press('y')
    await ui.shows('Revoked the key deploy')
    expect([await kept(), await isTaken(next)]).toEqual([[], false])
    ui.press('6')
    const requests = await ui.shows('postern key revoke')
    expect(requests).not.toMatch(aKey)
  })

  test('a form says in place what is wrong, and no machine is an owner', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own), wide)
    await tabTo(ui, 'Keys')
    ui.press('c')
    await ui.shows('It is shown once')
    ui.press('deploy\r', 'space')
    await ui.shows('no machine is an owner')
    ui.press('enter', 'enter', 'soon', 'enter', 'enter')
    await ui.shows('At least one role is needed')
    expect(await kept()).toEqual([])
  })

  test('who may not is told why, and asks for nothing', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own, 'member'), wide)
    await tabTo(ui, 'Keys')
    await ui.shows('your role (member) lacks member:create')
    ui.press('c')
    await ui.shows('lacks member:create')
    ui.press('t')
    await ui.shows('lacks member:create')
    expect(screens.own.asked.filter((call) => call.includes('/key/'))).toEqual([])
  })

  test('a CI provider is trusted, and no longer', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own), wide)
    await tabTo(ui, 'Keys')
    ui.press('t')
    await ui.shows('c trusts a provider')
    ui.press('c')
    await ui.shows('Every claim has to be in a token')
    ui.press('site\r', 'enter', 'enter', 'repository=acme/site', 'enter', 'right', 'space', 'enter', 'enter')
    await ui.shows('Jobs with these claims sign in as admin')
    await ui.shows('❯ site')
    ui.press('D')
    expect(await ui.shows('Delete the trust rule site?')).toContain('token.actions.githubusercontent.com')
    ui.press('y')
    await ui.shows('c trusts a provider')
    expect(await screens.sql`select 1 from trust_rules`).toEqual([])
  })
})

test('a key of my own is made and shown once, from Profile', async () => {
  const machine = await signedIn(screens.own)
  const ui = screens.open(machine, { screen: 'profile', ...wide })
  await ui.shows(ada)
  ui.press('x')
  await ui.shows('Keys for machines')
  ui.press('esc', 'G', 'up', 'enter')
  await ui.shows('No keys. c creates one.')
  ui.press('c')
  await ui.shows('The key may what you may')
  ui.press('laptop\r', 'read', 'enter', 'enter', 'enter')
  const [key = ''] = aKey.exec(await ui.shows('Created the key laptop, which acts as you')) ?? []
  expect(await isTaken(key)).toBe(true)
  ui.press('esc')
  await ui.hides(key)
  expect(await kept()).toEqual([{ name: 'laptop', roles: null, scopes: ['read'] }])
})
