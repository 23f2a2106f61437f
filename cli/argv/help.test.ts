import { beforeAll, describe, expect, it } from 'vitest'
import { createRunner } from '../testing/run-cli.ts'
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

  it('leaves the flags of every command to a topic, which tells them whole', async () => {
    expect((await helpOf(root, 80)).join('\n')).toContain('postern help flags')
    const { stdout } = await postern('help flags')
    for (const { flags } of root.options) expect(stdout).toContain(flags.replace('--json [fields]', '--json[=fields]'))
    for (const { summary } of root.options) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(summary)
  })
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
})
