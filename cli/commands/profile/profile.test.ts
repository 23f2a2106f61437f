import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRunner, type Runner } from '../../testing/run-cli.ts'

let postern: Runner
const configFile = () => `${postern.env.POSTERN_CONFIG_DIR}/config.json`

beforeEach(() => {
  postern = createRunner()
})

describe('profile', () => {
  it('is created, listed, used and deleted', async () => {
    const created = await postern('profile new work --url https://a.example --account a@b.co --json')
    expect(created.json).toMatchObject({ status: 'created', resource: { name: 'work', url: 'https://a.example' } })
    expect((await postern('profile use work --json')).json).toMatchObject({ status: 'updated' })
    expect((await postern('profile use work --json')).json).toMatchObject({ status: 'unchanged' })
    expect((await postern('profiles ls --json=name,current')).json).toMatchObject({
      items: [{ name: 'work', current: true }],
    })
    expect((await postern('profile use - --json')).json).toMatchObject({ status: 'updated', resource: { name: null } })
    await postern('profile use work')
    expect((await postern('profile rm work --json')).json).toMatchObject({ status: 'deleted' })
    expect((await postern('auth status --explain')).stdout).toContain('profile\t\tnot set')
  })

  it('is not created twice, nor under an odd name, nor with a bad setting', async () => {
    await postern('profile create work')
    const again = await postern('profile create work --url https://a.example --account a@b.co --json')
    expect([again.code, again.error['hint']]).toEqual([
      7,
      'Use it: postern profile use work; to replace it: postern profile delete work, then this command again',
    ])
    expect((await postern('profile create ../work')).code).toBe(2)
    expect((await postern('profile create other --url ftp://a.example')).code).toBe(2)
    expect((await postern('profile create other --url http://a.example')).code).toBe(2)
    expect((await postern('profile create other --timeout soon')).code).toBe(2)
    expect((await postern('profile list -q')).stdout).toBe('work\n')
  })

  it('that does not exist is exit 6 as an argument, 2 as a flag or a variable', async () => {
    expect((await postern('profile use home')).code).toBe(6)
    expect((await postern('profile delete home')).code).toBe(6)
    expect((await postern('whoami -P home')).code).toBe(2)
    expect((await postern('whoami', { env: { POSTERN_PROFILE: 'home' } })).stderr).toContain('POSTERN_PROFILE')
  })
})

describe('config', () => {
  it('is written through no link that waits beside it', async () => {
    await postern('config set url https://a.example')
    const victim = join(postern.env.POSTERN_CONFIG_DIR ?? '', 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, `${configFile()}.tmp`)
    expect((await postern('config set timeout 5s')).code).toBe(0)
    expect([readFileSync(victim, 'utf8'), (await postern('config get timeout')).stdout]).toEqual(['mine', '5s\n'])
  })

  it('is set, read, listed and unset', async () => {
    expect((await postern('config set timeout 5s --json')).json).toEqual({
      status: 'updated',
      resource: { setting: 'timeout', value: '5s' },
    })
    expect((await postern('config set timeout 5s --json')).json).toMatchObject({ status: 'unchanged' })
    expect((await postern('config get timeout')).stdout).toBe('5s\n')
    expect((await postern('config list')).stdout).toBe('timeout\t5s\n')
    expect((await postern('config unset timeout --json')).json).toMatchObject({ status: 'deleted' })
    expect((await postern('config unset timeout --json')).json).toMatchObject({ status: 'unchanged' })
    expect((await postern('config get timeout')).code).toBe(6)
  })

  it('takes only settings it knows, with values they can have', async () => {
    for (const argv of [
      'colour always',
      'color sometimes',
      'retries 99',
      'read-only maybe',
      'timeout 0',
      'url nowhere',
    ])
      expect([argv, (await postern(`config set ${argv}`)).code]).toEqual([argv, 2])
    expect((await postern('config list')).stdout).toBe('')
  })

  it('keeps all of many settings made at once', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => postern(`profile create p${index}`)))
    expect((await postern('profile list -q')).stdout.trim().split('\n')).toHaveLength(12)
    expect(statSync(configFile()).mode & 0o077).toBe(0)
  })

  it('is refused with exit 15, and what to do, where its folder cannot be made', async () => {
    const file = join(postern.folder, 'file')
    writeFileSync(file, '')
    const { code, stderr } = await postern('config set timeout 5s', { env: { POSTERN_CONFIG_DIR: join(file, 'x') } })
    expect([code, stderr]).toEqual([15, expect.stringContaining('POSTERN_CONFIG_DIR')])
  })

  it('is refused with exit 15 when something else has its name', async () => {
    mkdirSync(configFile(), { recursive: true })
    const { code, stderr } = await postern('config set timeout 5s')
    expect([code, stderr]).toEqual([
      15,
      `error: The config file ${configFile()} cannot be read\n  next: See who owns it: \`ls -l\` shows\n`,
    ])
  })

  it('is refused with exit 15, and left as it is, when the file is damaged or of a newer format', async () => {
    await postern('config set timeout 5s')
    const written = { format: 1, settings: {}, profiles: {} }
    const unusable = [
      { ...written, settings: [] },
      { ...written, settings: { timeout: 10 } },
      { ...written, profile: 1 },
      { ...written, profiles: { prod: { 'read-only': true } } },
      { ...written, profiles: { prod: { readOnly: 'on' } } },
      { ...written, aliases: { mine: ['session', 'list'] } },
      { ...written, alias: { mine: 'session list' } },
    ]
    for (const text of ['{', '[]', '{"format":2}', ...unusable.map((one) => JSON.stringify(one))]) {
      writeFileSync(configFile(), text)
      expect([text, (await postern('whoami')).code]).toEqual([text, 15])
      expect([text, (await postern('config set timeout 6s')).code]).toEqual([text, 15])
      expect(readFileSync(configFile(), 'utf8')).toBe(text)
    }
    expect((await postern('version')).code).toBe(0)
    writeFileSync(configFile(), JSON.stringify({ ...written, profiles: { prod: { 'read-only': true } } }))
    expect((await postern('whoami')).stderr).toContain('is damaged: read-only has to be a text in quotes')
    writeFileSync(configFile(), JSON.stringify({ ...written, profiles: { prod: { readOnly: 'on' } } }))
    expect((await postern('whoami')).stderr).toContain('is damaged: readOnly is no setting')
  })
})
