import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import { createRunner } from '../testing/run-cli.ts'
import type { CommandNode } from './tree.ts'
import { flattenTree } from './tree.ts'

const postern = createRunner()
const tree = async () => (await postern('commands --json')).json as CommandNode
const verbs =
  'list view create edit delete add remove revoke set use accept reject adopt cancel resend export apply check status switch token refresh clear path get unset describe verify forgot reset mail leave me activity ban unban unlock release impersonate stop rotate bootstrap wait resume test'

const line = ({ path, aliases, arguments: args, options, form }: CommandNode): string =>
  [
    [path, ...aliases.map((alias) => `(${alias})`)].join(' '),
    args
      .map(
        ({ name, required, variadic }) =>
          `${required ? '<' : '['}${name}${variadic ? '...' : ''}${required ? '>' : ']'}`,
      )
      .join(' '),
    options.map(({ flags }) => flags).join(', '),
    form,
  ].join(' | ')

describe('the tree of commands', () => {
  it('is the contract with its users', async () => {
    expect(flattenTree(await tree()).map(line)).toMatchSnapshot()
  })

  it('says how each command can end', async () => {
    const commands = flattenTree(await tree()).filter(({ exitCodes: codes }) => codes.length > 0)
    expect(commands.map(({ path, exitCodes: codes }) => `${path} | ${codes.join(' ')}`)).toMatchSnapshot()
  })

  it('has an example and a summary for every command, and each is one of its own lines', async () => {
    for (const { path, summary, examples } of flattenTree(await tree())) {
      expect([path, summary.length > 5, examples.length > 0]).toEqual([path, true, true])
      expect(examples.some((example) => example.includes('postern'))).toBe(true)
    }
  })

  it('shows those examples in --help', async () => {
    for (const { path, examples } of flattenTree(await tree())) {
      if (path === 'postern') continue
      const { stdout } = await postern(`${path.replace(/^postern ?/, '')} --help`, { columns: 200 })
      for (const example of examples) expect(stdout).toContain(example)
    }
  })

  it('names nouns in the singular and verbs from one list', async () => {
    const nouns = flattenTree(await tree()).filter(({ commands, name }) => commands.length > 0 && name !== 'postern')
    const leaves = nouns.flatMap(({ commands }) => commands.filter(({ commands: below }) => below.length === 0))
    expect(leaves.length).toBeGreaterThan(50)
    expect(leaves.map(({ name }) => name).filter((name) => !verbs.split(' ').includes(name))).toEqual([])
  })

  it('is the same by every name of a command, though only what is named is built', async () => {
    for (const { name, aliases } of (await tree()).commands) {
      const help = (await postern(`${name} --help`)).stdout
      expect(help).toContain('Usage: postern')
      for (const alias of aliases) expect((await postern(`${alias} --help`)).stdout).toBe(help)
    }
  })

  it('takes no value of a flag for a command', async () => {
    expect((await postern('--account session whoami')).code).toBe(4)
    expect((await postern('sesion whoami')).stderr).toContain('Did you mean session?')
  })

  it('is listed line by line for people', async () => {
    expect((await postern('commands')).stdout).toContain('postern session revoke\t')
  })

  it('tells no secret by a flag', async () => {
    const all = flattenTree(await tree()).flatMap(({ options }) => options)
    expect(all.map(({ flags }) => flags)).toContainEqual(expect.stringContaining('--password-file'))
    for (const { flags } of all) expect(flags).not.toMatch(/--(password|token|secret)\b(?!-file)/)
  })
})

it('keeps its exit codes', () => {
  expect(exitCodes).toMatchSnapshot()
})

describe('schema', () => {
  it('describes the answer of one command, or of all', async () => {
    expect((await postern('schema session list')).json).toMatchObject({
      type: 'object',
      properties: { items: { type: 'array', items: { properties: { expiresAt: { format: 'date-time' } } } } },
    })
    const all = (await postern('schema')).json as Record<
      string,
      { required: string[]; anyOf: { required: string[] }[] }
    >
    expect(Object.keys(all)).toContain('postern whoami')
    expect(all['postern profile create']?.required).toEqual(['status', 'resource'])
    // One shape for each flag that changes the answer.
    expect(all['postern sign-out']?.anyOf.map(({ required }) => required)).toEqual([
      ['status', 'resource'],
      ['results', 'summary'],
      ['status', 'resource'],
    ])
  })

  it('is exit 2 for a command that is not there', async () => {
    expect((await postern('schema nothing')).code).toBe(2)
  })
})

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    expect((await postern(`completion ${shell}`)).stdout).toMatch(/postern __complete '?--/)
    expect((await postern(`completion ${shell} --json=shell`)).json).toEqual({ shell })
  })

  it.each([
    [['se'], ['serve', 'session']],
    [
      ['invitation', 're'],
      ['reject', 'resend'],
    ],
    [['team', 'member', 'a'], ['add']],
    [['org', 'list', '--or'], ['--org']],
    [
      ['session', ''],
      ['edit', 'list', 'revoke', 'view'],
    ],
    [['session', 'revoke', '--ot'], ['--others']],
    [['sign-in', '--no-r'], ['--no-remember']],
    [['whoami', '--js'], ['--json']],
    [
      ['--json', 'auth', 'jar', ''],
      ['clear', 'path'],
    ],
    [
      ['completion', ''],
      ['bash', 'fish', 'powershell', 'zsh'],
    ],
    [['help', 'exit'], ['exit-codes']],
    [['nothing', 'at'], []],
    [['--org', ''], []],
    [['-O', 'session', 'member', 'l'], ['list']],
    [
      ['org', 'create', '--if-exists', ''],
      ['fail', 'skip'],
    ],
  ])('completes %j', async (words, found) => {
    const { code, stdout } = await postern(['__complete', '--', ...words])
    expect(code).toBe(0)
    expect(stdout.split('\n').filter(Boolean)).toEqual(found)
  })
})
