import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { noSuchMark } from '../../server/testing/calls.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { interruptedError } from '../output/cli-error.ts'
import { adminOf } from './admin.ts'
import { runBuilt } from './built.ts'
import type { TestPerson } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let ada: TestPerson
let bob: TestPerson
beforeEach(async () => {
  await own.empty()
  ada = await adminOf(own)
  bob = await own.person('Bob')
})

interface Listed {
  readonly items: readonly Record<string, unknown>[]
  readonly page: { readonly total: number | null; readonly next: string | null }
}

const eventsOf = async (flags: string, who = ada) => (await who(`${flags} --json`)).json as Listed
const namesOf = async (flags: string, who = ada) => (await eventsOf(flags, who)).items.map(({ event }) => event)

test('an administrator reads who did what to whom, by filters and pages', async () => {
  await ada(['admin', 'user', 'ban', bob.email, '--reason', 'Spam'])
  await ada(`admin user unban ${bob.email}`)
  const { items } = await eventsOf(`admin audit list --user ${bob.email} --event user-banned,user-unbanned`)
  expect(items).toMatchObject([
    { event: 'user-unbanned', actorEmail: ada.email, userEmail: bob.email, details: {} },
    { event: 'user-banned', actorEmail: ada.email, userEmail: bob.email, ipAddress: '127.0.0.1' },
  ])
  expect(await namesOf(`admin audit list --actor ${ada.email} --event user --limit 1`)).toEqual(['user-unbanned'])
  const first = await eventsOf(`admin audit list --actor ${ada.email} --event user --limit 1`)
  expect(await namesOf(`admin audit list --actor ${ada.email} --event user --cursor ${first.page.next}`)).toEqual([
    'user-banned',
  ])
  expect(await namesOf(`admin audit list --actor ${ada.email} --event user --limit 1 --all-pages`)).toHaveLength(2)
  expect(await namesOf(`admin audit list --user ${bob.email} --until 1h`)).toEqual([])
  expect(await namesOf(`admin audit list --user ${bob.email} --since 1h`)).toContain('sign-up-done')
  expect((await ada('admin audit list --since yesterday')).code).toBe(2)
  const { stdout } = await ada(`admin audit list --user ${bob.email} --event user-banned`, {
    tty: ['stdout'],
    columns: 120,
  })
  expect(stdout).toContain('bob@example.com')
})

test('acting as somebody else says in the trail who it was', async () => {
  await ada(`admin user impersonate ${bob.email}`)
  await ada('admin impersonation stop')
  const { items } = await eventsOf(`admin audit list --event impersonation-ended --user ${bob.email}`)
  expect(items).toMatchObject([{ actorEmail: bob.email, impersonatorEmail: ada.email }])
  const line = await ada(`admin audit list --event impersonation-ended --user ${bob.email}`)
  expect(line.stdout).toContain(`${bob.email}, IMPERSONATED by ${ada.email}`)
})

test('people see their own, owners that of their organization, others neither', async () => {
  await bob(['org', 'create', 'Acme', '--slug', 'acme'])
  const eve = await own.person('Eve')
  expect(await namesOf('account activity', bob)).toEqual(
    expect.arrayContaining(['organization-created', 'sign-up-done']),
  )
  expect(await namesOf('account activity', eve)).toEqual(['sign-up-done'])
  expect(await namesOf('org activity --org acme', bob)).toEqual(['organization-created'])
  expect(await namesOf(`org activity --org acme --actor ${bob.email}`, bob)).toEqual(['organization-created'])
  expect((await eve('org activity --org acme')).code).toBe(6)
})

test('the whole trail is narrowed to an organization: by its id, or by the slug of one of their own', async () => {
  const { resource } = (await bob('org create Acme --slug acme --json')).json as { readonly resource: { id: string } }
  await ada('org create Globex --slug globex')
  expect(await namesOf(`admin audit list --org ${resource.id}`)).toEqual(['organization-created'])
  expect(await namesOf('admin audit list --org globex')).toEqual(['organization-created'])
  await own.service.deps.sql`
    insert into audit_events (id, event, request_id, organization_id) values ('moved', 'organization-updated', 'r', 'o1')
  `
  expect(await namesOf('admin audit list --org o1')).toEqual(['organization-updated'])
  for (const unknown of ['acme', 'globxe']) expect((await ada(`admin audit list --org ${unknown}`)).code).toBe(6)
})

/** Follows in the background; stops as Ctrl+C does. */
function follow(flags: string, command = 'admin audit list') {
  const controller = new AbortController()
  let heard = ''
  const stdout: string[] = []
  const done = ada(`${command} --follow ${flags}`, {
    signal: controller.signal,
    tell: (text) => stdout.push(text),
    hear: (text) => {
      heard += text
    },
  })
  const events = () =>
    stdout
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Readonly<Record<'id' | 'event' | 'targetName', string>>)
  return {
    events,
    heard: () => heard,
    until: async (isSo: () => boolean) => {
      for (let tries = 0; !isSo(); tries += 1) {
        if (tries > 5000) throw new Error(`${heard}\n${stdout.join('')}`)
        await sleep(20)
      }
    },
    stop: () => {
      controller.abort(interruptedError())
      return done
    },
  }
}

test('the trail is followed over an outage, each event once, until it is stopped', async () => {
  own.asked.length = 0
  const following = follow(`--ndjson --event user --user ${bob.email} --retries 0`)
  await following.until(() => own.asked.some((call) => call === 'GET /admin/list-audit-events'))
  await ada(`admin user ban ${bob.email}`)
  await following.until(() => following.events().length === 1)
  await own.goAway()
  await following.until(() => following.heard().includes('continuing when the service answers'))
  // Another instance goes on meanwhile.
  await own.service.deps.sql`
    insert into audit_events (id, event, user_id, request_id)
    select 'meanwhile', 'user-role-changed', id, 'r' from users where email = ${bob.email}
  `
  await own.comeBack()
  await ada(`admin user unban ${bob.email}`)
  await following.until(() => following.events().length === 3)
  const before = following.heard()
  const { code } = await following.stop()
  expect([code, following.heard()]).toEqual([130, before])
  expect(following.events().map(({ event }) => event)).toEqual(['user-banned', 'user-role-changed', 'user-unbanned'])
})

test('a later run goes on where the cursor file says, with what nobody followed', async () => {
  const file = join(temporaryFolder('cursor'), 'position')
  const resume = () => follow(`--ndjson --event user --user ${bob.email} --cursor-file ${file}`)
  const told = async (following: ReturnType<typeof follow>, count: number) => {
    await following.until(() => following.events().length === count)
    expect((await following.stop()).code).toBe(130)
    return following.events().map(({ event }) => event)
  }
  await ada(`admin user ban ${bob.email}`)
  expect(await told(resume(), 1)).toEqual(['user-banned'])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await ada(`admin user unban ${bob.email}`)
  await ada(`admin user ban ${bob.email}`)
  expect(await told(resume(), 2)).toEqual(['user-unbanned', 'user-banned'])
  const third = resume()
  own.asked.length = 0
  await third.until(() => own.asked.some((call) => call === 'GET /admin/list-audit-events'))
  await ada(`admin user unban ${bob.email}`)
  expect(await told(third, 1)).toEqual(['user-unbanned'])
})

test('what a reader that left did not take comes again in the next run', async () => {
  const file = join(temporaryFolder('cursor'), 'position')
  await ada(`admin user ban ${bob.email}`)
  const stdout = new PassThrough()
  const flags = `--follow --ndjson --event user --user ${bob.email} --cursor-file ${file}`
  const left = await ada(`admin audit list ${flags}`, { stdout, tell: () => stdout.destroy(closedPipe()) })
  expect([left.code, left.stderr, existsSync(file)]).toEqual([0, '', false])
  const resumed = follow(flags.replace('--follow ', ''))
  await resumed.until(() => resumed.events().length === 1)
  await resumed.stop()
})

test('an organization is followed on when another process chooses another one', async () => {
  await ada('org create Globex --slug globex')
  await ada('org create Acme --slug acme')
  const following = follow('--ndjson', 'org activity')
  await following.until(() => following.events().length === 1)
  await ada('org use globex')
  await ada('team create Away')
  await ada('team create Here --org acme')
  await following.until(() => following.events().length === 2)
  await following.stop()
  const [, { targetName } = {}] = following.events()
  expect(targetName).toBe('Here')
})

test('a cursor file is for following, and holds what the service gave', async () => {
  const folder = temporaryFolder('cursor')
  const file = join(folder, 'position')
  const photo = Buffer.from([0xff, 0xd8, 0, 1, 0x20])
  await writeFile(file, photo)
  const ended = async (flags: string) => {
    const { code, error, stdout } = await ada(`admin audit list --ndjson ${flags}`)
    expect(stdout).toBe('')
    return [code, error['message']]
  }
  expect(await ended(`--cursor-file ${file}`)).toEqual([2, '--cursor-file is for --follow'])
  expect(await ended(`--follow --cursor-file ${file}`)).toEqual([
    2,
    `--cursor-file: ${file} holds no position of a trail`,
  ])
  expect(await readFile(file)).toEqual(photo)
  expect(await ended(`--follow --cursor-file ${folder}`)).toEqual([
    15,
    `The cursor file ${folder} cannot be read: it is a folder`,
  ])
  const restored = join(folder, 'restored')
  await writeFile(restored, noSuchMark)
  const { code, error } = await ada(`admin audit list --ndjson --follow --cursor-file ${restored}`)
  expect([code, error['code'], error['status']]).toEqual([7, 'CURSOR_OF_ANOTHER_DATABASE', 409])
  expect(error['hint']).toMatch(/^Remove \S+\/restored and start again\. Then .* --since TIME .* that of the backup$/)
  expect(await readFile(restored, 'utf8')).toBe(noSuchMark)
  const nowhere = join(folder, 'nowhere', 'position')
  expect(await ended(`--follow --cursor-file ${nowhere}`)).toEqual([
    15,
    `The cursor file ${nowhere} cannot be written: there is no such folder`,
  ])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends what follows as a process: exit %i, quietly', async (signal, code) => {
  const argv = ['account', 'activity', '--follow', '--ndjson']
  const during = async (child: ChildProcess) => {
    await once(child.stdout ?? child, 'data')
    child.kill(signal)
  }
  const ended = await runBuilt(argv, { env: bob.env, during })
  expect([ended.code, ended.stderr]).toEqual([code, ''])
  expect(ended.stdout).toContain('sign-up-done')
})

const closedPipe = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

test('a reader that has seen enough ends it, quietly', async () => {
  own.asked.length = 0
  // The stream itself fails, as a closed pipe does at the next write.
  const stdout = new PassThrough()
  const done = ada('admin audit list --follow --ndjson --event user', { stdout })
  await expect.poll(() => own.asked.includes('GET /admin/list-audit-events')).toBe(true)
  stdout.destroy(closedPipe())
  expect(await done).toMatchObject({ code: 0, stderr: '' })
})

test.each([
  ['--event nonsense', 'There are: sign-up-done'],
  ['--event sign-in-don', 'Did you mean sign-in-done?'],
  ['--event sing-in', 'Did you mean sign-in?'],
  ['--event user-banned,teem', 'Did you mean team?'],
  ['--cursor xx', '--cursor is not valid for this service: xx'],
])('what no trail knows is exit 2 with what is meant: %s', async (flag, said) => {
  for (const command of ['admin audit list', 'account activity']) {
    const { code, stderr } = await ada(`${command} ${flag}`)
    expect([code, stderr.includes(said)]).toEqual([2, true])
  }
})

test.each(['--json', '--until 1h', '--cursor x', '--all-pages', '--limit 5'])(
  'what has an end is not followed: %s',
  async (flag) => {
    expect((await ada(`admin audit list --follow ${flag}`)).code).toBe(2)
  },
)

test.each([
  ['account activity', 'GET /list-activity'],
  ['org activity --org followed', 'GET /organization/list-activity'],
])('what the terminal UI follows is followed by its command too: %s', async (command, call) => {
  await ada('org create Followed --slug followed --if-exists skip')
  own.asked.length = 0
  const following = follow('--ndjson --event team', command)
  await following.until(() => own.asked.includes(call))
  await ada(['team', 'create', command, '--org', 'followed'])
  await following.until(() => following.events().some(({ event }) => event === 'team-created'))
  expect((await following.stop()).code).toBe(130)
})

test('who loses the right to follow is told so', async () => {
  const following = follow('--ndjson --event user')
  await following.until(() => own.asked.some((call) => call === 'GET /admin/list-audit-events'))
  await own.service.deps.sql`update users set roles = '{user}' where email = ${ada.email}`
  await following.until(() => following.heard() !== '')
  expect((await following.stop()).code).toBe(5)
})
