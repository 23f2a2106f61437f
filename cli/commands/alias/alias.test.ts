import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandNode } from '../../argv/tree.ts'
import { createRunner, type Runner } from '../../testing/run-cli.ts'

/** Somebody with these aliases, as a config file written by hand may hold them. */
function withAliases(aliases: unknown): Runner {
  const postern = createRunner()
  const folder = join(postern.folder, 'config')
  mkdirSync(folder)
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ format: 1, settings: {}, profiles: {}, aliases }))
  return postern
}

describe('an alias', () => {
  it('stands for its command line, with what follows appended, also behind global flags', async () => {
    const postern = createRunner()
    expect(await postern(['alias', 'set', 'hidden', 'config get'])).toMatchObject({ code: 0 })
    await postern('config set timeout 7s')
    expect((await postern('hidden timeout')).stdout).toBe('7s\n')
    expect((await postern('--no-input -A ann@example.com hidden timeout --json')).json).toEqual({
      setting: 'timeout',
      value: '7s',
    })
    expect((await postern('hidden url')).code).toBe(6)
    expect((await postern('hidden --help')).stdout).toContain('Usage: postern config get')
  })

  it('keeps quoted words whole, as a shell does', async () => {
    const postern = createRunner()
    const line = `profile create it\\'s\\ "a \\"b\\"" 'c d'`
    await postern(['alias', 'set', 'odd', line])
    expect((await postern(['odd', 'e f', '--json'])).error).toMatchObject({ exitCode: 2 })
    const told = await postern(['alias', 'set', 'one', `profile create "it's here"`])
    expect(told.code).toBe(0)
    expect((await postern('one')).stderr).toContain("Not a valid profile name: it's here")
  })

  it('decides about the form of errors, too', async () => {
    const postern = withAliases({ broken: 'session list --json --nonesuch' })
    expect((await postern('broken')).error).toMatchObject({ exitCode: 2 })
  })

  it('is listed, changed and removed, and is kept beside what else the file holds', async () => {
    const postern = createRunner()
    await postern('config set color never')
    const set = (line: string) => postern(['alias', 'set', 'mine', line, '--json'])
    expect((await set('session list')).json).toEqual({
      status: 'created',
      resource: { name: 'mine', expandsTo: 'session list' },
    })
    expect((await set('session list -q')).json).toMatchObject({ status: 'updated' })
    expect((await set('session list -q')).json).toMatchObject({ status: 'unchanged' })
    await postern('config set timeout 7s')
    expect((await postern('aliases ls --json')).json).toMatchObject({
      items: [{ name: 'mine', expandsTo: 'session list -q' }],
    })
    expect((await postern('alias delete mine --json')).json).toMatchObject({ status: 'deleted' })
    expect((await postern('alias delete mine')).code).toBe(6)
    expect(JSON.parse(readFileSync(join(postern.folder, 'config', 'config.json'), 'utf8'))).toMatchObject({
      settings: { color: 'never', timeout: '7s' },
      aliases: {},
    })
  })

  it.each([
    ['session', 'whoami', 'session is a command'],
    ['sessions', 'whoami', 'sessions is a command'],
    ['Not-One', 'whoami', 'Not a valid alias'],
    ['--json', 'whoami', 'Not a valid alias'],
    ['mine', 'mine --json', 'has to begin with a command of postern, not with mine'],
    ['mine', 'nonesuch list', 'has to begin with a command of postern, not with nonesuch'],
    ['mine', '', 'has to begin with a command of postern'],
    ['mine', "session view 'x", 'A quote is not closed'],
    ['mine', 'session view \\', 'A quote is not closed'],
  ])('%s for `%s` is refused', async (name, line, why) => {
    const postern = createRunner()
    const { code, stderr } = await postern(['alias', 'set', '--', name, line])
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    expect((await postern('alias list --json')).json).toMatchObject({ items: [] })
  })

  it('that somebody wrote by hand hides no command, and leads to no other alias', async () => {
    const postern = withAliases({ version: 'whoami', a: 'b', b: 'a' })
    expect((await postern('version')).code).toBe(0)
    expect(await postern('a')).toMatchObject({ code: 2, stderr: expect.stringContaining('not with b') })
    expect((await postern('constructor')).stderr).toContain("Unknown command 'constructor'")
    expect((await postern('toString')).stderr).toContain("Unknown command 'toString'")
    expect((await withAliases('none')('alias list')).code).toBe(15)
  })

  it('leaves suggestions as they are, and is suggested itself', async () => {
    const postern = withAliases({ cohort: 'member list --role admin' })
    expect((await postern('sesion list')).stderr).toContain('Did you mean session?')
    expect((await postern('cohrt')).stderr).toContain('Did you mean postern cohort?')
  })

  it('is known to the tree of commands, to help and to completion', async () => {
    const postern = withAliases({ admins: 'member list --role admin', lost: 'nonesuch' })
    const { commands } = (await postern('commands --json')).json as CommandNode
    expect(commands.at(-1)).toMatchObject({
      name: 'admins',
      path: 'postern admins',
      expandsTo: 'member list --role admin',
      form: 'list',
    })
    expect(commands.map(({ name }) => name)).not.toContain('lost')
    expect((await postern('help')).stdout).toMatch(/Aliases: .*\n {2}admins +member list --role admin\n/)
    expect((await postern('help admins')).stdout).toContain('Alias of postern member list --role admin')
    const complete = async (...words: readonly string[]) =>
      (await postern(['__complete', '--', ...words])).stdout.split('\n').filter(Boolean)
    expect(await complete('adm')).toEqual(['admin', 'admins'])
    expect(await complete('admins', '--so')).toEqual(['--sort'])
    expect(await complete('-O', 'acme', 'admins', '--so')).toEqual(['--sort'])
    expect(await complete('alias', 'delete', '')).toEqual(['admins', 'lost'])
  })
})

describe('a config file that is damaged', () => {
  const damaged = () => withAliases('no aliases')

  it.each(['help', 'help keys', 'help flags', 'help session list', 'commands --json', 'session --help'])(
    'does not take away: postern %s',
    async (line) => expect((await damaged()(line)).code).toBe(0),
  )

  it.each(['mine', 'config list'])('is told by %s, which needs it', async (line) => {
    const { code, stderr } = await damaged()(line)
    expect([code, stderr]).toEqual([15, expect.stringContaining('is damaged')])
  })
})

it('help keys tells the keys also where the config file names one that does not exist', async () => {
  const postern = createRunner()
  mkdirSync(join(postern.folder, 'config'))
  const settings = { 'tui.keys.redo': 'x' }
  writeFileSync(join(postern.folder, 'config', 'config.json'), JSON.stringify({ format: 1, settings, profiles: {} }))
  const { code, stdout } = await postern('help keys')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^These are the built-in keys: No action redo/)])
  expect(stdout).toContain('Actions: up, down')
})
