import { beforeAll, describe, expect, it } from 'vitest'
import { createRunner } from '../testing/run-cli.ts'
import { shortExitMeaning } from '../topics/exit-meanings.ts'
import { topics } from '../topics/topics.ts'
import { commandGroups } from './help-page.ts'
import { type CommandNode, flattenTree } from './tree.ts'

const postern = createRunner()
let root: CommandNode
let all: readonly CommandNode[]

beforeAll(async () => {
  root = (await postern('commands --json')).json as CommandNode
  all = flattenTree(root)
})

const wordsOf = ({ path }: CommandNode): string => path.replace(/^postern ?/, '')
const helpOf = async (node: CommandNode, columns: number): Promise<readonly string[]> =>
  (await postern(`${wordsOf(node)} --help`, { columns })).stdout.split('\n')

const wholeHelp = async (words: string): Promise<string> =>
  (await postern(`${words} --help`, { columns: 200 })).stdout.replaceAll(/\s+/g, ' ')

/** Quoted words in an example must stay whole, otherwise it could not be copied. */
const isOneWord = (line: string): boolean => /^ {4}"[^"]*"( \\)?$/.test(line)

describe('the help of the program', () => {
  it('fits one screen of 40 lines at 80 columns', async () => {
    const lines = await helpOf(root, 80)
    expect(lines.length).toBeLessThan(40)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it('has every command once, in the group that it belongs to', async () => {
    expect(Object.values(commandGroups).flat().toSorted()).toEqual(root.commands.map(({ name }) => name).toSorted())
    const lines = await helpOf(root, 80)
    for (const title of Object.keys(commandGroups))
      expect(lines.filter((line) => line.startsWith(title))).toHaveLength(1)
    expect(lines.join('\n')).toMatch(/^You +whoami .*\n +account /m)
  })

  it('names what is easily overlooked: trust, the audit trail and the topics', async () => {
    const text = (await helpOf(root, 80)).join(' ').replaceAll(/\s+/g, ' ')
    expect(text).toContain('key trust')
    expect(text).toContain('admin audit')
    expect(text).toContain(`postern help TOPIC: ${Object.keys(topics).join(', ')}`)
  })

  it('leaves the flags of every command to a topic, which tells them whole', async () => {
    expect((await helpOf(root, 80)).join('\n')).toContain('postern help flags')
    const { stdout } = await postern('help flags')
    for (const { flags } of root.options) expect(stdout).toContain(flags.replace('--json [fields]', '--json[=fields]'))
    for (const { summary } of root.options) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(summary)
  })
})

it('the topic of variables keeps names and meanings apart', async () => {
  const { stdout } = await postern('help environment', { columns: 80 })
  const [variables = ''] = stdout.split('\n\n')
  expect(variables.split('\n').filter((line) => !/^ {2}[A-Z_, ]* {2}\S/.test(line))).toEqual([])
})

describe('the help of a command', () => {
  it.each([60, 80])('has no line wider than %i columns', async (columns) => {
    for (const node of all) {
      const wide = (await helpOf(node, columns)).filter((line) => line.length > columns && !isOneWord(line))
      expect([node.path, wide]).toEqual([node.path, []])
    }
    const topic = (await postern('help flags', { columns })).stdout.split('\n')
    expect(topic.filter(({ length }) => length > columns)).toEqual([])
  })

  it('goes on behind a backslash where an example is wider, and leaves what is quoted in one piece', async () => {
    const node = all.find(({ path }) => path === 'postern sign-in')
    const text = node && (await helpOf(node, 60)).join('\n')
    expect(text).toContain('  postern sign-in --email alice@example.com \\\n    --password-file - < password.txt')
    for (const { path, examples } of all.slice(1)) {
      const help = (await postern(`${path.replace(/^postern ?/, '')} --help`, { columns: 60 })).stdout
      const whole = help.replaceAll(/ \\\n {4}/g, ' ')
      for (const example of examples) expect(whole).toContain(`  ${example}\n`)
    }
  })

  it('says what a flag may be', async () => {
    const node = all.find(({ path }) => path === 'postern org create')
    expect(node && (await helpOf(node, 80)).join('\n')).toContain('(fail, skip)')
  })

  it('says what is required, what is asked for, and what comes from elsewhere', async () => {
    const create = await wholeHelp('org create')
    expect(create).toContain('name its name (required)')
    expect(create).toMatch(/--slug <slug> .*\(required; asked for at a terminal\)/)
    expect(await wholeHelp('org apply')).toMatch(/-f, --file <file> .*\(required\)/)
    expect(await wholeHelp('key create')).toMatch(/--role <role...> .*the key is your own --scope/)
    const members = await wholeHelp('member list')
    expect(members).toMatch(
      /Inherited: --url .*POSTERN_URL -A, --account .*POSTERN_ACCOUNT -O, --org .*active.*POSTERN_ORG/,
    )
    expect(await wholeHelp('config list')).not.toContain('Inherited:')
    expect(await wholeHelp('session revoke')).not.toContain('POSTERN_ORG')
    expect(await wholeHelp('org delete')).toMatch(/Inherited: .*--confirm <value>/)
    expect(await wholeHelp('invitation wait')).toMatch(/Inherited: .*--timeout <duration>/)
  })

  it('tells flags about the output apart from the others', async () => {
    const members = await wholeHelp('member list')
    expect(members).toMatch(/Options: .*--watch.*Output: --columns <fields>.*--sort.*--limit.*Inherited:/)
  })

  it('says how it can end: as its calls can fail, and as the command itself does', async () => {
    const codesOf = (path: string) => all.find((node) => node.path === `postern ${path}`)?.exitCodes
    expect(await wholeHelp('org create')).toContain('4 not signed in')
    expect(codesOf('config get')).toEqual([0, 2, 6, 15])
    expect(codesOf('version')).toEqual([0, 2])
    expect(codesOf('doctor')).toEqual([0, 2, 15, 16])
    expect(codesOf('session')).toEqual([])
    expect(codesOf('key create')).toEqual(expect.arrayContaining([3, 13, 14]))
    expect(codesOf('member remove')).toEqual(expect.arrayContaining([3, 5, 6, 7, 13, 14]))
    expect(codesOf('session list')).not.toContain(13)
    for (const { commands, exitCodes, path } of all)
      expect([path, exitCodes.length > 0 || commands.length > 0]).toEqual([path, true])
  })

  it('names no code that has no meaning', () => {
    const codes = new Set(all.flatMap(({ exitCodes }) => exitCodes))
    expect([...codes].filter((code) => shortExitMeaning(code) === '')).toEqual([])
  })
})
