import { afterEach, expect, test, vi } from 'vitest'
import { fillMany, joinMany } from '../../testing/many-rows.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()
afterEach(() => void vi.restoreAllMocks())

/** Opens the form for the roles of twelve members, with admin chosen besides. */
async function rolesOfTwelve() {
  vi.spyOn(Math, 'random').mockReturnValue(1000)
  const ada = await screens.own.person('Ada')
  await ada('org create Acme --slug acme')
  await fillMany(screens.sql, 12, 0)
  await joinMany(screens.sql)
  const ui = screens.open(ada, { screen: 'orgs', size: { columns: 80, rows: 24 } })
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members 13]')
  ui.press('/', 'many', 'enter', 'A')
  await ui.shows('12 marked')
  ui.press('r')
  expect(await ui.shows('and 9 more.')).toMatch(/For 12: many\d+@example\.com, many\d+@example\.com, many\d+@/)
  ui.press('right', 'space')
  await ui.shows('[x] admin')
  return ui
}

const admins = async () => (await screens.sql`select user_id from members where 'admin' = any (roles)`).length

test('the notice about many leaves the list on the screen, and names the key that undoes', async () => {
  const ui = await rolesOfTwelve()
  ui.press('enter')
  const frame = await ui.shows('Roles of 12 members: admin. u undoes it')
  expect(frame.match(/many\d+@example\.com +(member|admin) +- /g)?.length).toBeGreaterThan(5)
})

test('a form for many tells how many are done', async () => {
  const ui = await rolesOfTwelve()
  const call = 'POST /organization/update-member-role'
  const first = screens.own.hold(call)
  ui.press('enter')
  await ui.shows('Asking the service… 0 of 12')
  await first.answered
  const second = screens.own.hold(call)
  first.release()
  await ui.shows('Asking the service… 1 of 12')
  second.release()
  expect(await ui.shows('Roles of 12 members: admin')).not.toContain('Asking')
})

test('esc lets no more of many begin, and each is told', async () => {
  const ui = await rolesOfTwelve()
  const first = screens.own.hold('POST /organization/update-member-role')
  ui.press('enter')
  await first.answered
  ui.press('esc')
  await ui.shows('Stopping after this one')
  first.release()
  const frame = await ui.shows('11 of 12 not tried')
  expect(frame).toMatch(/example\.com +done/)
  expect(frame).toMatch(/example\.com +not tried: you stopped it/)
  expect(await admins()).toBe(1)
})

test('what failed before esc is told apart from what was not tried', async () => {
  const ui = await rolesOfTwelve()
  const call = 'POST /organization/update-member-role'
  const first = screens.own.hold(call)
  ui.press('enter')
  await first.answered
  await screens.sql`delete from members where user_id like 'many-%' and not 'admin' = any (roles)`
  const second = screens.own.hold(call)
  first.release()
  await second.answered
  ui.press('esc')
  await ui.shows('Stopping after this one')
  second.release()
  await ui.shows('1 of 12 failed, 10 of 12 not tried')
  expect(await admins()).toBe(1)
})

test('an act on many tells how many are done, and esc lets no more begin', async () => {
  const ui = await rolesOfTwelve()
  ui.press('esc')
  await ui.shows('12 marked')
  const first = screens.own.hold('POST /organization/remove-member')
  ui.press('D', 'y')
  await ui.shows('Remove 12… esc stops it after the one in progress')
  await first.answered
  expect(ui.frame()).toMatch(/0 of 12\n/)
  ui.press('esc')
  await ui.shows('Stopping after this one')
  first.release()
  const frame = await ui.shows('11 of 12 not tried')
  expect(frame).toMatch(/example\.com +not tried: you stopped it/)
  expect(await screens.sql`select from members`).toHaveLength(12)
})

test('esc on another screen than that of an act on many goes back, and stops nothing', async () => {
  const ui = await rolesOfTwelve()
  ui.press('esc')
  await ui.shows('12 marked')
  const first = screens.own.hold('POST /organization/remove-member')
  ui.press('D', 'y')
  await first.answered
  ui.press('enter')
  await ui.shows('Acme › Many')
  ui.press('esc')
  await ui.shows('[Members 13]')
  first.release()
  await expect.poll(async () => (await screens.sql`select from members`).length).toBe(1)
})

test('esc in a form stops nothing that runs behind it', async () => {
  const ui = await rolesOfTwelve()
  ui.press('esc')
  await ui.shows('12 marked')
  const first = screens.own.hold('POST /organization/remove-member')
  ui.press('D')
  await ui.shows('Remove 12 members from the organization?')
  ui.press('y')
  await first.answered
  ui.press('c')
  await ui.shows('❯ Email')
  ui.press('bo@example.com')
  const invited = screens.own.hold('POST /organization/invite-member')
  ui.press('enter', 'enter', 'enter')
  await invited.answered
  ui.press('esc')
  await ui.shows('Still waiting for the service')
  first.release()
  invited.release()
  await expect.poll(async () => (await screens.sql`select from members`).length).toBe(1)
})

test('addresses that esc left out come back into the form, and are not said to have failed', async () => {
  const ui = await rolesOfTwelve()
  ui.press('esc')
  await ui.shows('12 marked')
  ui.press('c')
  await ui.shows('❯ Email')
  ui.press('bo@example.com, cy@example.com, di@example.com')
  const first = screens.own.hold('POST /organization/invite-member')
  ui.press('enter', 'enter', 'enter')
  await first.answered
  ui.press('esc')
  await ui.shows('Stopping after this one')
  first.release()
  expect(await ui.shows('Correct the 2 that are left')).not.toContain('failed')
  ui.press('enter')
  expect(await ui.shows('❯ Email')).toContain('cy@example.com, di@example.com')
})

test('when some of several fail, the others are done, and each is told', async () => {
  const ui = await rolesOfTwelve()
  await screens.sql`delete from members where user_id in ('many-3', 'many-4')`
  ui.press('enter')
  const frame = await ui.shows('Roles of 10 members: admin; 2 of 12 failed')
  expect(frame).toMatch(/many3@example\.com +Member not found/)
  expect(frame).toMatch(/many12@example\.com +done/)
  expect(await admins()).toBe(10)
})
