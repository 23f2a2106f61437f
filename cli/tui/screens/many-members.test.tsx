import { afterEach, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { members } from '../../flows/member/resource.ts'
import { setRoles } from '../../flows/member/set-roles.ts'
import { organizationSettings } from '../../flows/org/resource.ts'
import { useScreens } from '../testing/screens.ts'

vi.setConfig({ testTimeout: 60_000 * slack })

const screens = useScreens({ MEMBERSHIP_LIMIT: '5000' })
afterEach(() => void vi.restoreAllMocks())

/** Ada, and 4,999 others in her organization. */
async function many() {
  vi.spyOn(Math, 'random').mockReturnValue(1000)
  const ada = await screens.own.person('Ada')
  await ada('org create Acme --slug acme')
  await screens.sql`
    insert into users (id, email, name)
    select 'many-' || n, 'many' || n || '@example.com', 'Many ' || n from generate_series(1, 4999) n
  `
  await screens.sql`
    insert into members (id, organization_id, user_id, role, roles)
    select 'member-' || n, (select id from organizations), 'many-' || n, 'member', '{member}'
    from generate_series(1, 4999) n
  `
  return ada
}

/** How many parts of the members were asked for. */
const reads = () => screens.own.asked.filter((line) => line.includes('list-members')).length

test('5,000 members are read in five requests, and no key asks for more or paints more than the window', async () => {
  const ada = await many()
  const searched = vi.spyOn(members as { searched: NonNullable<typeof members.searched> }, 'searched')
  const ui = screens.open(ada, { screen: 'orgs', size: { columns: 200, rows: 50 } })
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members 5,000]')
  expect(reads()).toBe(5)
  await ui.shows('Keys 0')
  // The texts are there before the first letter.
  await expect.poll(() => searched.mock.calls.length).toBeGreaterThanOrEqual(5000)
  searched.mockClear()
  const [asked, rows] = [screens.own.asked.length, () => ui.frame().split('\n').length]
  ui.press('G', 'k', 'k', ' ', '/', 'many4', 'enter', 'g', 'j', 's')
  await ui.settled()
  expect(await ui.shows('of 5,000')).toContain('1 marked')
  expect(searched).not.toHaveBeenCalled()
  expect([screens.own.asked.slice(asked), rows()]).toEqual([[], 49])
})

test('a key in a form about thousands looks at as many of them as are shown', async () => {
  const ui = screens.open(await many(), { screen: 'orgs', size: { columns: 200, rows: 50 } })
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members 5,000]')
  const { subject } = setRoles as { subject: Pick<typeof setRoles.subject, 'words'> }
  const named = vi.spyOn(subject, 'words')
  ui.press('A', ' ', 'r')
  const form = await ui.shows('For 4,999:')
  expect(form).toContain('… and 4,979 more')
  named.mockClear()
  ui.press('right', 'space')
  await ui.settled()
  expect(named.mock.calls.length).toBeLessThan(500)
  expect(named).toHaveBeenCalled()
})

test('a palette makes no list below it anew, and nothing again for an answer without news', async () => {
  const ui = screens.open(await many(), { screen: 'orgs', size: { columns: 200, rows: 50 } })
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members 5,000]')
  await ui.shows('Keys 0')
  ui.press('enter')
  await ui.shows('Acme › Ada')
  await ui.shows('Change roles')
  const listed = vi.spyOn(members as { tone: NonNullable<typeof members.tone> }, 'tone')
  ui.press(':')
  await ui.shows('Command')
  ui.press('esc')
  await ui.hides('Command')
  expect(listed).not.toHaveBeenCalled()
  ui.press('4')
  await ui.shows('Member since')
  // After a poll what is known may be outdated.
  await ui.store.poll()
  const offered = vi.spyOn(organizationSettings.acts[0]!, 'offers')
  const before = reads()
  ui.press(':', 'many 49')
  await ui.shows('❯ Many 49')
  await expect.poll(reads).toBe(before + 5)
  // Its requests come after the last of those.
  await ui.store.poll()
  expect(offered).toHaveBeenCalledOnce()
})
