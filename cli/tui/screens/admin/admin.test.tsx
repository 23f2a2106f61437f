import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { slack } from '../../../../server/testing/slack.ts'
import { adminOf } from '../../../testing/admin.ts'
import { focusIn, focusOut } from '../../terminal/strokes.ts'
import { heldPauses } from '../../testing/held-pauses.ts'
import { unfolded } from '../../testing/render.tsx'
import { useScreens } from '../../testing/screens.ts'

// One test visits every screen.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreens()
afterEach(() => void vi.useRealTimers().restoreAllMocks())

test('the screen of administration keeps its number, and tells others why it stays shut', async () => {
  const bob = await screens.own.person('Bob')
  const plain = screens.open(bob, { size: { columns: 100, rows: 60 } })
  await plain.shows('Organizations')
  expect(await plain.shows('only for users who may list users')).toMatch(/6 Adm.* 7 Req/)
  plain.press('6')
  expect(await plain.shows('Admin: only for users who may list users')).not.toContain('❯ postern')
  plain.press('7')
  await plain.shows('❯ postern')
  plain.press('1', '?')
  expect(await plain.shows('switch account')).toContain('(not now: only for users who may list users)')
  const ada = await adminOf(screens.own)
  const screen = screens.open(ada)
  expect(await screen.shows('6 Admin')).toContain('7 Requests')
  screen.press('6')
  expect(await screen.shows('bob@example.com')).toContain('ada@example.com')
})

test('users are searched for at the service, which has more than are shown', async () => {
  const ada = await adminOf(screens.own)
  await screens.own.stranger('Bill')
  await screens.sql`
    insert into users (id, email, name, created_at)
    select 'many-' || n, 'many' || n || '@example.com', 'Many', now() + interval '1 minute'
    from generate_series(1, 120) n
  `
  const screen = screens.open(ada, { screen: 'admin' })
  expect(await screen.shows('100 of 122 users, newest first')).not.toContain('bill@example.com')
  screen.press('/', 'B', 'I', 'L', 'L')
  await screen.shows('1 user with “BILL”')
  expect(await screen.shows('bill@example.com')).not.toContain('many')
})

test('a filter that the service refuses, or would refuse, can still be typed on', async () => {
  const ada = await adminOf(screens.own)
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('1 user')
  screen.press('/')
  await screen.shows('also role: banned: ')
  screen.press('banned:t')
  expect(await screen.shows('banned is yes or no')).toContain('ada@example.com')
  const refusal = { code: 'VALIDATION_ERROR', message: 'Not such a role' }
  screens.own.replace('GET /admin/list-users', Response.json(refusal, { status: 400 }))
  screen.press('\u0015', 'role:')
  screen.press('a')
  await screen.shows('Not such a role')
  screen.press('dmin')
  expect(await screen.shows('/ role:admin')).toContain('ada@example.com')
})

test('where nothing is offered after an impersonation has ended, no key is said to open it', async () => {
  const ada = await adminOf(screens.own)
  await screens.own.person('Bob')
  expect((await ada('admin user impersonate bob@example.com --yes')).code).toBe(0)
  const screen = screens.open(ada, { screen: 'sessions' })
  await expect.poll(() => screen.store.state.me?.user.email).toBe('bob@example.com')
  await screens.sql`delete from sessions where impersonated_by is not null`
  screen.press('R')
  await screen.shows('impersonates somebody has ended')
  screen.press('esc')
  expect(await screen.shows(': command')).not.toContain('enter open')
})

test('a user is banned by a form and let in again, with the commands for it', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.stranger('Bob')
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('bob@example.com')
  screen.press('enter')
  await screen.shows('Impersonate')
  screen.press('down', 'down', 'enter')
  await screen.shows('Reason')
  screen.press('Spam', 'enter', '7d')
  expect(unfolded(await screen.shows('--for 7d'))).toContain(
    'postern admin user ban bob@example.com --reason Spam --for 7d',
  )
  screen.press('enter')
  expect(await screen.shows('Spam, ends')).toContain('Lift the ban')
  expect((await bob('whoami')).code).toBe(4)
  screen.press('enter')
  await screen.shows('Let bob@example.com in again?')
  screen.press('y')
  await screen.shows('bob@example.com can sign in again')
  expect(await screens.sql`select banned from users where email = ${bob.email}`).toEqual([{ banned: false }])
})

test('the actions of the list are those of the selected user, then those of the service', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.stranger('Bob')
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('❯ bob@example.com')
  screen.press('x')
  const menu = await screen.shows('Audit trail of the service')
  expect(menu).toMatch(/│ bob@example.com [^│]+│[^]*Sessions[^]*Ban[^]*Delete[^]*Create[^]*Audit trail of the service/)
  screen.press('D')
  await screen.shows('Delete bob@example.com')
  screen.press('esc')
  await screen.hides('Delete bob@example.com')
  screen.press('x', 'enter')
  await screen.shows('bob@example.com › Sessions')
  expect((await bob('whoami')).code).toBe(0)
})

test('nobody does to themselves what is for others, and is told why', async () => {
  const ada = await adminOf(screens.own)
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('1 user, newest first')
  screen.press('enter')
  // The signed-in user may be known only after the selected one is shown.
  const frame = await screen.shows('you cannot ban yourself')
  for (const reason of ['change your own in profile (4)', 'that is you', 'delete your own account'])
    expect(frame).toContain(reason)
  screen.press('D')
  await screen.shows('Delete the user: delete your own account')
  expect(screens.writes()).toEqual([])
})

test('every screen says whom one acts as, and one key ends it', async () => {
  const ada = await adminOf(screens.own)
  await screens.own.person('Bob')
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('bob@example.com')
  screen.press('enter')
  await screen.shows('Impersonate')
  screen.press('x')
  await screen.shows('postern admin user impersonate bob@example.com')
  screen.press('down', 'down', 'down', 'down', 'down', 'enter')
  await screen.shows('Act as bob@example.com?')
  screen.press('y')
  await screen.shows('Stop impersonating')
  for (const key of ['1', '2', '3', '4', '5', '7']) {
    screen.press(key)
    await screen.settled()
    expect(screen.frame()).toContain('IMPERSONATING bob@example.com')
  }
  screen.press('6')
  await screen.shows('Admin: only for users who may list users')
  screen.resize({ columns: 40, rows: 12 })
  await screen.shows('IMPERSONATING b')
  screen.resize({ columns: 100, rows: 24 })
  screen.press('4')
  await screen.shows('Member since')
  screen.press('e')
  await screen.shows('Edit profile: not while impersonating: stop that first')
  screen.press('3', 'x')
  expect(await screen.shows('Revoke all others')).toContain('not while impersonating')
  screen.press('esc')
  expect(screens.writes().filter((call) => !call.startsWith('POST /admin/'))).toEqual([])
  screen.press('I')
  await screen.shows('you are ada@example.com again')
  await screen.hides('IMPERSONATING')
  expect((await ada('whoami --json=email')).json).toEqual({ email: ada.email })
})

test('an impersonation that ended elsewhere is left by the same key', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  await ada(`admin user impersonate ${bob.email}`)
  await screens.sql`delete from sessions where impersonated_by is not null`
  const screen = screens.open(ada)
  await screen.shows('Stop impersonating')
  screen.press('enter')
  await screen.shows('you are ada@example.com again')
  expect(await screen.hides('IMPERSONATING')).toContain('ada@example.com')
})

test('an impersonation that cannot be read is said to be damaged, and the screen goes on', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  await ada(`admin user impersonate ${bob.email}`)
  const screen = screens.open(ada)
  await screen.shows('Stop impersonating')
  const folder = join(ada.env['POSTERN_STATE_DIR'] ?? '', 'jars')
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{')
  screen.press('I')
  await screen.shows('is damaged')
  screen.press('esc')
  expect(await screen.shows('Stop impersonating')).toContain('Bob')
})

test('the trail is listed, looked into, and followed', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  const screen = screens.open(ada, { screen: 'admin' })
  await screen.shows('bob@example.com')
  screen.press('t')
  await screen.shows('sign-up-done')
  screen.press('enter')
  await screen.shows('Request')
  screen.press('esc', 'f')
  await screen.shows('following')
  await bob(['org', 'create', 'Acme', '--slug', 'acme'])
  expect(await screen.shows('organization-created')).toContain('following')
})

/** A followed trail in its first pause. */
async function followedTrail() {
  // Delays the next poll by hours, since a poll reads the trail as well.
  vi.spyOn(Math, 'random').mockReturnValue(1000)
  const ada = await adminOf(screens.own)
  await ada('config set retries 0')
  const bob = await screens.own.person('Bob')
  const pauses = heldPauses()
  const screen = screens.open(ada, { screen: 'admin', pause: pauses.pause })
  await screen.shows('bob@example.com')
  screen.press('t')
  await screen.shows('sign-up-done')
  screen.press('f')
  await expect.poll(pauses.begun).toBe(1)
  return {
    pauses,
    screen,
    asked: () => screens.own.asked.filter((line) => line.includes('list-audit-events')).length,
    create: (slug: string) => bob(['org', 'create', slug, '--slug', slug]),
  }
}

test('a trail that is followed asks nothing while nobody looks, and none of its questions is listed', async () => {
  const { screen, pauses, asked, create } = await followedTrail()
  await create('acme')
  pauses.endAll()
  await screen.shows('organization-created')
  await expect.poll(pauses.begun).toBe(2)
  const [before, created] = [asked(), screen.frame().split('organization-created').length]
  screen.press(focusOut)
  pauses.endAll()
  await create('beta')
  expect(asked()).toBe(before)
  screen.press(focusIn)
  await expect.poll(() => screen.frame().split('organization-created').length).toBeGreaterThan(created)
  expect(asked()).toBe(before + 1)
  screen.press('7')
  const listed = (await screen.shows('admin audit list')).split('\n').filter((line) => line.includes('audit'))
  // Only the first read of the list is logged. Equal requests share a line.
  const times = listed.map((line) => Number(/×(\d+)/.exec(line)?.[1] ?? 1))
  expect(times.reduce((sum, count) => sum + count, 0)).toBe(1)
  // The list, the start that is followed from, and two polls.
  expect(asked()).toBe(4)
})

test('a trail that is not followed any more stays as it is, and is followed later from there', async () => {
  const { screen, pauses, asked, create } = await followedTrail()
  await create('acme')
  pauses.endAll()
  await screen.shows('organization-created')
  await expect.poll(pauses.begun).toBe(2)
  screen.press('j')
  await screen.settled()
  const created = () => screen.frame().split('organization-created').length
  const selected = () => /❯ (\S+) .* (\S+@\S+)/.exec(screen.frame())?.slice(1)
  const [asks, events, place] = [asked(), created(), selected()]
  screen.press('f')
  await screen.shows('Following stopped')
  pauses.endAll()
  await create('beta')
  screen.press('f')
  await expect.poll(() => [asked(), created(), selected()]).toEqual([asks + 1, events + 1, place])
})

test('a trail that is followed takes back at its first answer that nobody answers', async () => {
  const { screen, pauses } = await followedTrail()
  await expect.poll(() => screen.store.activity.isBusy()).toBe(false)
  await screens.own.goAway()
  try {
    await screen.store.poll()
    await screen.shows('✗ offline')
  } finally {
    await screens.own.comeBack()
  }
  pauses.endAll()
  await expect.poll(() => screen.store.state.shownError).toBeUndefined()
  expect(await screen.shows('● online')).toContain('following')
})

test('a trail that nobody answered when it was opened is asked for again at the next beat, and by no key', async () => {
  const screen = screens.open(await adminOf(screens.own), { screen: 'admin' })
  await screen.shows('1 user')
  await expect.poll(() => screen.store.activity.isBusy()).toBe(false)
  screens.own.replace('GET /admin/list-audit-events', new Response(null, { status: 500 }))
  screen.press('t')
  expect(await screen.shows('status 500')).not.toContain('sign-up-done')
  const { requests } = screen.store.state
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30_000)
  await screen.store.poll()
  await screen.shows('sign-up-done')
  expect(screen.store.state.requests).toBe(requests)
})

test('ages in a trail go on by themselves', async () => {
  const screen = screens.open(await adminOf(screens.own), { screen: 'admin' })
  await screen.shows('1 user')
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  screen.press('t')
  await screen.shows('sign-up-done')
  await expect.poll(() => screen.store.activity.isBusy()).toBe(false)
  const [newest] = await screens.sql<{ at: Date }[]>`select max(created_at) as at from audit_events`
  vi.setSystemTime(newest!.at.getTime() + 5 * 60_000)
  vi.advanceTimersByTime(10_000)
  expect(await screen.shows(' 5m ')).not.toContain('now ')
})

test('a trail that is followed waits below another screen, and goes on from where it was', async () => {
  const { screen, pauses, asked, create } = await followedTrail()
  const before = asked()
  screen.press('enter')
  await screen.settled()
  await screen.hides('following')
  pauses.endAll()
  await create('acme')
  expect(asked()).toBe(before)
  screen.press('esc')
  expect(await screen.shows('organization-created')).toContain('following')
  await expect.poll(pauses.begun).toBe(2)
  expect(asked()).toBe(before + 1)
})

test('events are read whole in a window of 60 columns', async () => {
  const ada = await adminOf(screens.own)
  const eve = await screens.own.stranger('Eve')
  await eve('account email verify --send')
  const screen = screens.open(ada, { screen: 'admin', size: { columns: 60, rows: 20 } })
  await screen.shows('2 users')
  screen.press('t')
  expect(await screen.shows('email-verification-asked ')).toMatch(/Event +When +Who/)
})

test('in 80 columns one reads what happened, when, who did it and that it was somebody else', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  await ada(`admin user impersonate ${bob.email}`)
  await ada('admin impersonation stop')
  const screen = screens.open(ada, { screen: 'admin', size: { columns: 80, rows: 24 } })
  await screen.shows('2 users')
  screen.press('t')
  const frame = await screen.shows('impersonation-started  ')
  expect(frame).toMatch(/Event +When +Who/)
  expect(frame).toMatch(/impersonation-ended .* IMPERSONATED by ada@example\.com: bob/)
  expect(frame).toMatch(/impersonation-started +\S+.* ada@example\.com/)
})

test('activity has names where they are known, not ids', async () => {
  const bob = await screens.own.person('Bob')
  const eve = await screens.own.person('Eve')
  await bob(['org', 'create', 'Acme', '--slug', 'acme'])
  await bob('key create deploy --role member --org acme')
  await bob('invitation create eve@example.com --role member --org acme')
  await eve('invitation accept acme')
  await bob('member role set eve@example.com admin --org acme')
  const screen = screens.open(bob, { screen: 'orgs', size: { columns: 140, rows: 30 } })
  await screen.shows('Acme')
  screen.press('enter', 'tab', 'tab', 'tab', 'tab', 'tab')
  await screen.shows('postern org activity --org acme')
  screen.press('G', 'enter')
  await screen.shows('role-changed')
  expect(screen.frame()).toMatch(/ About +eve@example\.com/)
  expect(screen.frame()).toMatch(/ Organization +Acme/)
})

test('people see their own activity, and owners that of their organization', async () => {
  const bob = await screens.own.person('Bob')
  await bob(['org', 'create', 'Acme', '--slug', 'acme'])
  const screen = screens.open(bob, { screen: 'profile' })
  await screen.shows('Activity')
  screen.press('G', 'up', 'up', 'up', 'enter')
  await screen.shows('organization-created')
  screen.press('5')
  await screen.shows('Acme')
  screen.press('enter', 'tab', 'tab', 'tab', 'tab', 'tab')
  await screen.shows('postern org activity --org acme')
  screen.press('G', 'enter')
  await screen.shows('organization-created')
  expect(screen.frame()).not.toContain('sign-up-done')
  screen.press('x')
  expect(await screen.shows('postern org activity --org acme --follow')).not.toContain('Audit trail')
})
