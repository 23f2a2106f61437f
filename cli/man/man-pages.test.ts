import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import { flagDescriptions } from '../argv/flags.ts'
import { type CommandNode, flattenTree } from '../argv/tree.ts'
import { version } from '../process/version.ts'
import { programTree } from '../testing/docs/tables.ts'
import { knownVariables } from '../topics/topics.ts'
import { manPages } from './man-pages.ts'
import { escapeRoff } from './roff.ts'

const root = join(import.meta.dirname, '../..')
const built = join(root, 'dist', 'man')
let tree: CommandNode
let pages: ReadonlyMap<string, string>
beforeAll(async () => {
  tree = await programTree()
  pages = await manPages(tree, version)
})

describe('the pages of man', () => {
  it('are those that the build wrote', () => {
    expect(readdirSync(built).toSorted()).toEqual([...pages.keys()].toSorted())
    for (const [name, text] of pages) expect([name, readFileSync(join(built, name), 'utf8')]).toEqual([name, text])
  })

  it('are those that the package tells npm of', () => {
    const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly man: readonly string[] }
    expect(man).toEqual([...pages.keys()].toSorted().map((name) => `./dist/man/${name}`))
  })

  it('have every command, with each of its arguments, flags and examples', () => {
    for (const top of tree.commands) {
      const text = pages.get(`postern-${top.name}.1`) ?? ''
      for (const node of flattenTree(top)) expectToTell(text, node)
      expect(pages.get('postern.1')).toContain(`\n\\fB${escapeRoff(top.name)}\\fR\n${escapeRoff(top.summary)}\n`)
    }
  })

  it('have every global flag, variable and exit code', () => {
    const text = pages.get('postern.1') ?? ''
    for (const [flags] of flagDescriptions()) expect(text).toContain(`\\fB${escapeRoff(flags)}\\fR`)
    for (const name of knownVariables()) expect(text).toContain(escapeRoff(name))
    for (const code of Object.values(exitCodes)) expect(text).toContain(`.TP\n\\fB${code}\\fR\n`)
  })

  it('have each row of the table of output forms as a term', () => {
    for (const term of ['in a pipe', '--json=a,b', '-o FORM', '--template TEXT', '--columns a,b'])
      expect(pages.get('postern.1')).toContain(`.TP\n\\fB${escapeRoff(term)}\\fR\n`)
  })

  it('hold no request that nobody meant, and no character that roff reads as its own', () => {
    const requests = new Set(['.TH', '.SH', '.SS', '.TP', '.PP', '.EX', '.EE', '.br', '.nh', '.ad'])
    for (const text of pages.values()) {
      const lines = text.split('\n')
      expect(lines[0]).toMatch(/^\.TH POSTERN[A-Z-]* 1 "" "postern [\d.]+" "Postern manual"$/)
      expect(lines.slice(3, 5)).toEqual(['.SH NAME', expect.stringMatching(/^postern\S* \\- /)])
      expect(lines.filter((line) => /^[.']/.test(line) && !requests.has(line.split(' ')[0] ?? ''))).toEqual([])
      expect(text.replaceAll(/\\(?:fB|fR|e|-|&|\[u[0-9A-F]{4,6}\])/g, '')).not.toMatch(/\\/)
      expect(text).toMatch(/^[\n -~]*$/)
      expect(text.match(/^\.EX$/gm)?.length).toBe(text.match(/^\.EE$/gm)?.length)
    }
  })
})

function expectToTell(text: string, node: CommandNode): void {
  const isRun = node.commands.length === 0 || node.arguments.length > 0
  if (!isRun) return
  expect(text).toContain(`\\fB${escapeRoff(node.path)}\\fR`)
  expect(text).toContain(escapeRoff(node.summary))
  for (const { name } of node.arguments) expect(text).toContain(`.TP\n\\fB${escapeRoff(name)}\\fR\n`)
  for (const { flags } of node.options) expect(text).toContain(`.TP\n\\fB${escapeRoff(flags)}\\fR\n`)
  for (const code of node.exitCodes) expect(text).toMatch(new RegExp(`Exit status: .*\\b${code} `))
  for (const flag of node.inherits) expect(text).toContain(escapeRoff(flag))
  for (const line of node.examples) expect(text).toContain(escapeRoff(line))
}

it.each([
  ['a-b', 'a\\-b'],
  ['.SH evil', '\\&.SH evil'],
  ["one\n'two", "one\n\\&'two"],
  ['C:\\new', 'C:\\enew'],
  ['a … b', 'a \\[u2026] b'],
])('%j stands as it is', (text, roff) => expect(escapeRoff(text)).toBe(roff))
