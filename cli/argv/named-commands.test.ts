import { readdirSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { createContext } from '../context.ts'
import { hostOf } from '../process/own-host.ts'
import { createProgram } from '../program.ts'
import { namedCommands, surplusIn, textsOf, unknownIn } from '../testing/named-commands.ts'
import { liveTree } from './live-tree.ts'
import { flattenTree } from './tree.ts'

let program: Command
const notShipped = /\.(test|fixture)\.tsx?$|\/(testing|bench|node_modules)\//
/** Names of other things that only look like commands. */
const noCommands = ['postern lease', 'postern padding', 'postern text']

beforeAll(async () => {
  program = await createProgram(createContext(hostOf(() => new AbortController().signal)))
})

/** The commands and flags in the texts that do not exist, each with its line. */
const unknownOf = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap(namedCommands)
    .filter((line) => !noCommands.includes(line))
    .flatMap((line) => unknownIn(program, line).map((word) => `${word} in ${line}`))

const textsIn = (name: string): readonly string[] =>
  textsOf(ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.Latest))

describe('every command that is named is there, with its flags', () => {
  it.each(['cli', 'server', 'shared'])('in the texts of %s', (folder) => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
    const sources = names.filter((name) => /\.tsx?$/.test(name) && !notShipped.test(name))
    expect(sources.length).toBeGreaterThan(10)
    const unknown = sources.map((name) => [name, unknownOf(textsIn(name))] as const)
    expect(unknown.filter(([, words]) => words.length > 0)).toEqual([])
  })

  it('in the examples of --help', async () => {
    const examples = flattenTree(await liveTree(program)).flatMap((branch) => branch.examples)
    expect(examples.flatMap(namedCommands).length).toBeGreaterThan(50)
    expect(unknownOf(examples)).toEqual([])
  })

  it('and a hint goes on behind none of them, as it is copied', () => {
    const lines = textsIn('cli/output/hints.ts').flatMap(namedCommands)
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.flatMap((line) => surplusIn(program, line))).toEqual([])
  })

  it('and none stands in parentheses, where it would be broken over lines; topics never are', () => {
    const names = readdirSync('cli', { recursive: true, encoding: 'utf8' }).map((name) => `cli/${name}`)
    const sources = names.filter((name) => /\.tsx?$/.test(name) && !notShipped.test(name) && !name.includes('/topics/'))
    const texts = sources.flatMap(textsIn)
    expect(texts.filter((text) => /postern [a-z]/.test(text)).length).toBeGreaterThan(50)
    expect(texts.filter((text) => /(?<![$<])\(postern [a-z]/.test(text))).toEqual([])
  })

  it('or it is found out', () => {
    const sources = ["const a = 'See: postern team lits'", 'hint(`postern sign-in --mail ${email}`)']
    const built = [
      "commandLine('postern', 'invite', 'create', word, ...scope, '--rle', role)",
      "({ command: 'org us' })",
    ]
    const texts = [...sources, ...built].flatMap((text) =>
      textsOf(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest)),
    )
    expect(unknownOf(texts)).toEqual([
      'lits in postern team lits',
      '--mail in postern sign-in --mail VALUE',
      '--rle in postern invite create VALUE --rle VALUE',
      'us in postern org us',
    ])
    expect(surplusIn(program, 'postern sign-in --email EMAIL again')).toEqual(['again'])
    expect(surplusIn(program, 'postern key view KEY gives another')).toEqual(['gives', 'another'])
  })
})
