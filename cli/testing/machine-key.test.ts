import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { keyAt, type MadeKey, organizationKey, ownKey } from '../../server/testing/machines.ts'
import { type Founded, found } from '../../server/testing/organizations.ts'
import type { RunOptions } from './run-cli.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let acme: Founded
let key: MadeKey
beforeAll(async () => {
  acme = await found(own.service)
  key = await organizationKey(acme)
})

const withKey = (argv: string, { env, ...options }: RunOptions = {}, token = key.token) =>
  own.machine()(argv, { ...options, env: { POSTERN_TOKEN: token, ...env } })

describe('a key of an organization', () => {
  it('is named, as the machine that it is', async () => {
    expect(await withKey('whoami')).toMatchObject({
      code: 0,
      stdout: `machine key deploy of ${acme.slug}\n`,
      stderr: '',
    })
    expect((await withKey('whoami --json=principal,keyId,id')).json).toEqual({
      principal: `machine key deploy of ${acme.slug}`,
      keyId: key.id,
      id: key.userId,
    })
    const status = await withKey('auth status', { tty: ['stdout'] })
    expect(status.stdout).toContain(`machine key deploy of ${acme.slug}`)
    expect(status.stdout).toContain('POSTERN_TOKEN')
  })

  it('does what its roles allow, in its organization', async () => {
    const view = await withKey('org view --json=slug')
    expect(view.json).toEqual({ slug: acme.slug })
    expect((await withKey('role check member:create')).code).toBe(0)
    expect((await withKey('role check organization:delete')).code).toBe(5)
    const invited = await withKey('invitation create - --role member --json', { stdin: 'a@b.co\nc@d.co\n' })
    expect(invited.json).toMatchObject({ summary: { succeeded: 2 } })
    expect((await withKey('invitation cancel a@b.co c@d.co --yes')).code).toBe(0)
    const bob = await acme.join('member')
    expect((await withKey(`member role set ${bob.email} admin`)).code).toBe(0)
    expect((await withKey('member list')).stdout).toContain(bob.email)
    for (const command of ['create Blue', 'edit Blue --name Green', `member add ${bob.email} --team Green`, 'list'])
      expect(await withKey(`team ${command}`)).toMatchObject({ code: 0 })
    expect((await withKey(`member remove ${bob.email} --yes`)).code).toBe(0)
  })

  it('applies a document, which lists no machine and ends none', async () => {
    const machine = own.machine()
    const file = join(machine.folder, 'acme.yaml')
    const env = { POSTERN_TOKEN: key.token }
    writeFileSync(file, (await machine(`org export ${acme.slug}`, { env })).stdout.replace(/name: .*/, 'name: Renamed'))
    const apply = async (flags: string) => (await machine(`org apply -f ${file} ${flags}`, { env })).code
    for (const flags of ['--dry-run', '', `--prune --confirm ${acme.slug}`])
      expect([flags, await apply(flags)]).toEqual([flags, 0])
    expect((await machine('org view --json=name', { env })).stdout).toBe('{"name":"Renamed"}\n')
  })

  it.each([
    'org create Own --slug own',
    'account edit --name Eve',
    'session list',
    `org delete acme --confirm acme`,
    'admin user list',
  ])('is told what is for people alone: %s', async (argv) => {
    const { code, stderr } = await withKey(argv.replaceAll(/\bacme\b/g, acme.slug))
    expect([argv, code, stderr]).toEqual([argv, 5, expect.stringContaining('may not make this call')])
    expect(stderr).toContain('next: Only people can do this')
  })

  it('is taken from a file as well, and never stands in what is shown', async () => {
    const machine = own.machine()
    const file = join(machine.folder, 'key')
    writeFileSync(file, `${key.token}\n`)
    const done = await machine('member list --debug', { env: { POSTERN_TOKEN_FILE: file } })
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('list-members')])
    const curl = await withKey('api /organization/list --print curl')
    expect(curl.stdout).toContain('/organization/list')
    expect(done.stdout + done.stderr + curl.stdout + curl.stderr).not.toContain(key.token)
  })
})

describe('a key of a person', () => {
  it('is named with whose it is, and held to its scopes', async () => {
    const ann = await own.service.person()
    const { token } = await ownKey(ann, { scopes: ['read'] })
    const { user } = (await ann.get('/get-session')).body
    expect((await withKey('whoami', {}, token)).stdout).toBe(`machine key laptop of ${ann.email} (${user.name})\n`)
    const bare = await ownKey(ann, { scopes: ['invitation:create'] })
    expect((await withKey('whoami', {}, bare.token)).stdout).toBe(`machine key of ${ann.email} (${user.name})\n`)
    expect(await withKey('invitation create a@b.co --role member', {}, token)).toMatchObject({
      code: expect.any(Number),
    })
  })

  it('that lacks a scope is told which', async () => {
    const { token } = await ownKey(acme.owner, { scopes: ['read'] })
    const { code, stderr } = await withKey(`team create Red --org ${acme.slug}`, {}, token)
    expect([code, stderr]).toEqual([5, expect.stringContaining('This key lacks the scope team:create')])
    expect(stderr).toContain('postern key create NAME --scope SCOPE')
  })
})

describe('a key that is not taken', () => {
  it.each([
    ['mistyped', (text: string) => text.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['cut', (text: string) => text.slice(0, -1)],
    ['in quotes', (text: string) => `${text}"`],
  ])('%s is seen before anything is asked', async (_, change) => {
    const before = own.asked.length
    const machine = own.machine()
    const file = join(machine.folder, 'key')
    writeFileSync(file, change(key.token))
    for (const env of [{ POSTERN_TOKEN: change(key.token) }, { POSTERN_TOKEN_FILE: file }]) {
      const { code, stderr } = await machine('whoami', { env })
      expect([code, stderr]).toEqual([2, expect.stringContaining('its checksum is wrong')])
      expect(stderr).not.toContain(key.token.slice(4, 40))
    }
    expect(own.asked.length).toBe(before)
  })

  it('since it was revoked, is called a key and not a session', async () => {
    const made = await organizationKey(acme, { name: 'old' })
    await acme.owner.post('/key/revoke', { keyId: made.id })
    for (const command of ['whoami', 'member list', 'role check member:create']) {
      const { code, stderr } = await withKey(command, {}, made.token)
      expect([command, code, stderr]).toEqual([command, 4, expect.stringContaining('The machine key was refused')])
    }
    const status = await withKey('auth status --json=signedIn', {}, made.token)
    expect(status.json).toEqual({ signedIn: false })
  })
})

test('a key is never adopted as if it were a session', async () => {
  const before = own.asked.length
  const machine = own.machine()
  const { code, stderr } = await machine('sign-in --token-file -', { stdin: key.token })
  expect([code, stderr]).toEqual([2, expect.stringContaining('POSTERN_TOKEN_FILE=FILE')])
  expect(own.asked.length).toBe(before)
})

test('its use is seen by whoever made it', async () => {
  await withKey('whoami')
  await expect.poll(() => keyAt(acme.owner, key.id)).toMatchObject({ lastUsedAt: expect.any(String) })
})
