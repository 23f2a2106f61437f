import { describe, expect, test } from 'vitest'
import { acmeAt, doneByBob, openAcme, tabTo } from '../../testing/acme.ts'
import { ada, bob, signedIn } from '../../testing/people.ts'
import { unfolded } from '../../testing/render.tsx'
import { useScreens } from '../../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const wide = { size: { columns: 120, rows: 30 } }
const aKey = /pst_\w+/

const kept = () => screens.sql`
  select k.name, m.roles, k.scopes from machine_keys k left join members m on m.user_id = k.user_id order by k.created_at
`
/** Whether the service accepts the key. */
const isTaken = async (token: string) =>
  (await fetch(`${screens.own.url}/api/auth/organization/list`, { headers: { authorization: `Bearer ${token}` } })).ok

describe('keys of an organization', () => {
  test('one is made, shown once, used, rotated and revoked', async () => {
    const acme = await acmeAt(screens.own)
    const ui = await openAcme(screens, acme, wide)
    await ui.shows(' Keys 0 ')
    await tabTo(ui, 'Keys')
    await ui.shows('No keys. c creates one.')
    ui.press('c')
    expect(await ui.shows('It is shown once and not stored.')).not.toContain('next choice')
    ui.press('deploy\r')
    await ui.shows('→ next choice   space choose')
    ui.press('right', 'space')
    await ui.shows('postern key create deploy --role admin --org acme')
    ui.press('enter', 'enter', '9d', 'enter', 'enter', 'enter')
    const panel = await ui.shows('Created the key deploy as admin')
    await ui.shows('This is shown once')
    const [key = ''] = aKey.exec(panel) ?? []
    expect(await isTaken(key)).toBe(true)
    // A key typed ahead does not close it.
    ui.press('enter')
    expect(await ui.shows('This is shown once')).toContain(key)
    ui.press('esc')
    await ui.hides(key)
    await ui.shows('[Keys 1]')
    expect(await ui.shows('expiring')).toMatch(new RegExp(`deploy +…${key.slice(-4)} +admin +in \\d+d`))
    expect(await kept()).toEqual([{ name: 'deploy', roles: ['admin'], scopes: null }])
    // The use is recorded after the answer. A detail opened before would show it only at the next beat.
    await expect.poll(() => screens.sql`select 1 from machine_keys where last_used_at is not null`).toHaveLength(1)
    ui.press('enter')
    expect(await ui.shows('from 127.0.0.1')).toContain('Used ')
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
    ui.press('7')
    const requests = await ui.shows('postern key revoke')
    expect(requests).not.toMatch(aKey)
  })

  test('a form says in place what is wrong, and a machine cannot be an owner', async () => {
    const ui = await openAcme(screens, await acmeAt(screens.own), wide)
    await tabTo(ui, 'Keys')
    ui.press('c')
    await ui.shows('It is shown once')
    ui.press('deploy\r', 'space')
    await ui.shows('a machine cannot be an owner')
    ui.press('enter', 'enter', 'soon', 'enter', 'enter', 'enter')
    expect(await ui.shows('At least one role is needed')).toMatch(/❯ Roles/)
    expect(await kept()).toEqual([])
  })

  test('those of a member who is gone are powerless, and adopted by x', async () => {
    const acme = await acmeAt(screens.own)
    await doneByBob(acme, '../key/create', { name: 'deploy', role: 'admin' })
    const claims = { project_path: 'acme/site' }
    await doneByBob(acme, '../key/trust/create', { name: 'site', role: 'admin', issuer: 'https://gitlab.com', claims })
    await screens.sql`delete from members where user_id = (select id from users where email = ${bob})`
    const ui = await openAcme(screens, acme, wide)
    await tabTo(ui, 'Keys')
    expect(await ui.shows('deploy')).toContain('powerless')
    ui.press('x')
    await ui.shows('postern key adopt')
    ui.press('down', 'enter')
    await ui.shows('You are responsible for the key deploy')
    await ui.hides('powerless')
    ui.press('t')
    expect(await ui.shows('site')).toContain('powerless')
    ui.press('x')
    await ui.shows('postern key trust adopt')
    ui.press('enter')
    await ui.shows('You are responsible for the trust rule site')
    await ui.hides('powerless')
  })

  test('those of a member are taken over by removing them', async () => {
    const acme = await acmeAt(screens.own)
    await doneByBob(acme, '../key/create', { name: 'deploy', role: 'admin' })
    await screens.sql`update members set roles = '{admin}' where user_id = (select id from users where email = ${bob})`
    const ui = await openAcme(screens, acme, wide)
    await ui.shows('Bob Ross')
    ui.press('/', 'Bob', 'enter', 'x')
    await ui.shows('Remove, and adopt their keys')
    for (let line = 0; line < 8 && !/❯[^\n]*and adopt/.test(ui.frame()); line += 1) {
      ui.press('down')
      await ui.settled()
    }
    ui.press('enter')
    expect(unfolded(await ui.shows('This makes you responsible'))).toContain('--keys adopt')
    ui.press('y')
    await ui.shows('You are responsible for 1 key or trust rule of theirs')
    expect(await screens.sql`select u.email from users u join users m on m.sponsor_id = u.id`).toEqual([{ email: ada }])
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
    const empty = await ui.shows('c trusts a provider')
    expect(empty).toContain('c trust one')
    const aboutOne = ['D delete', 'x actions', 'enter open', '↑↓ move', '/ filter']
    for (const key of aboutOne) expect(empty).not.toContain(key)
    ui.press('?')
    expect(await ui.shows('trust one')).not.toMatch(/Lists|copy id/)
    ui.press('esc')
    await ui.hides('Keys of this screen')
    ui.press('c')
    await ui.shows('A token must have every claim')
    ui.press('site\r', 'enter', 'enter', 'repository=acme/site', 'enter', 'right', 'space', 'enter', 'enter', 'enter')
    await ui.shows('Jobs with these claims sign in as admin')
    const listed = await ui.shows('❯ site')
    for (const key of aboutOne) expect(listed).toContain(key)
    ui.press('D')
    expect(await ui.shows('Delete the trust rule site?')).toContain('token.actions.githubusercontent.com')
    ui.press('y')
    await ui.shows('c trusts a provider')
    expect(await screens.sql`select 1 from trust_rules`).toEqual([])
  })
})

test('an empty list says whole in the smallest window how to fill it', async () => {
  const size = { columns: 40, rows: 10 }
  const ui = await openAcme(screens, await acmeAt(screens.own), { size })
  await tabTo(ui, 'Keys')
  ui.press('t')
  expect(unfolded(await ui.shows('No CI job'))).toContain('without a key yet. c trusts a provider.')
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
  await ui.shows('The key has your permissions')
  ui.press('laptop\r', 'rede', 'enter', 'enter', '300.1.1.1', 'enter', 'enter')
  expect(await ui.shows('Scope not found. A scope is `read`, or')).toMatch(/❯ Scopes +rede/)
  ui.press('\u0015', 'read', 'enter', 'enter', 'enter', 'enter')
  expect(await ui.shows('Invalid IP range. A range looks like')).toMatch(/❯ Allowed from +300\.1\.1\.1/)
  ui.press('\u0015', 'enter', 'enter')
  const [key = ''] = aKey.exec(await ui.shows('Created the key laptop, which acts as you')) ?? []
  expect(await isTaken(key)).toBe(true)
  ui.press('y', 'esc')
  await ui.hides('This is shown once')
  expect(await ui.shows('Copied the key')).not.toContain(key)
  expect(ui.copied).toEqual([key])
  expect(await kept()).toEqual([{ name: 'laptop', roles: null, scopes: ['read'] }])
})

test('keys of the same name are told apart, in a window of 80 columns too', async () => {
  const machine = await signedIn(screens.own)
  const made = await Promise.all(['one', 'other'].map(() => machine('key create deploy --mine --json')))
  const ends = made.map(({ stdout }) => `deploy +…${aKey.exec(stdout)?.[0].slice(-4)} `)
  const ui = screens.open(machine, { screen: 'profile', size: { columns: 80, rows: 24 } })
  await ui.shows('Keys for machines')
  ui.press('G', 'up', 'up', 'enter')
  const list = await ui.shows('deploy')
  for (const end of ends) expect(list).toMatch(new RegExp(end))
})
