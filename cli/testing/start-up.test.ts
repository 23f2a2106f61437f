import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTurn } from '../../server/testing/rounds.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { liveTree } from '../argv/live-tree.ts'
import type { CommandNode } from '../argv/tree.ts'
import { createContext } from '../context.ts'
import { hostOf } from '../process/own-host.ts'
import { createProgram } from '../program.ts'
import { type AnsweringService, startAnswers, usual } from './answers.ts'
import { runBuilt } from './built.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { createRunner } from './run-cli.ts'

const dist = fileURLToPath(new URL('../../dist/cli/', import.meta.url))
const nowhere = temporaryFolder('nowhere')
const env = { POSTERN_CONFIG_DIR: nowhere, POSTERN_STATE_DIR: nowhere }

/** The files of the built program that a run loads, as Node itself counts them. */
async function loadedBy(argv: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder('coverage')
  await runBuilt(argv, { env: { ...env, ...more, NODE_V8_COVERAGE: folder } })
  return loadedIn(folder)
}

/** The same for the terminal UI, up to its first frame. */
async function loadedForFrame(): Promise<readonly string[]> {
  const folder = temporaryFolder('coverage')
  const terminal = startPty(process.execPath, [bin, 'tui'], { env: { ...env, NODE_V8_COVERAGE: folder } })
  await terminal.shows('signed out')
  terminal.type('q')
  await terminal.exit
  terminal.close()
  const files = loadedIn(folder)
  const next = files.findIndex((file) => sourcesOf(file).includes('cli/tui/app.tsx'))
  expect(next).toBeGreaterThan(0)
  return files.slice(0, next)
}

/** In the order in which they were loaded. */
function loadedIn(folder: string): readonly string[] {
  const [report = ''] = readdirSync(folder)
  const { result } = JSON.parse(readFileSync(join(folder, report), 'utf8')) as { result: { url: string }[] }
  return result
    .map(({ url }) => url)
    .filter((url) => url.includes('/dist/cli/'))
    .map((url) => basename(url))
}

/** What the build wrote down beside the program: the sources that each of its files is made of. */
const contents = JSON.parse(readFileSync(join(dist, '../contents.json'), 'utf8')) as Record<string, readonly string[]>
const sourcesOf = (file: string): readonly string[] => contents[file] ?? []

/** The libraries of which some source is in these files. */
const librariesOf = (files: readonly string[]): readonly string[] => {
  const names = files.flatMap(sourcesOf).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}

/** The libraries that each kind of run may load. */
const parser = ['commander', 'env-paths', 'is-safe-filename', 'secure-json-parse']
const request = [...parser, 'undici', 'zod']
const frame = [...parser, 'emoji-regex', ...withDependencies('ink'), ...withDependencies('react-reconciler')]
const foreignTo = (kind: readonly string[], files: readonly string[]): readonly string[] =>
  librariesOf(files).filter((name) => !kind.includes(name))

/** What the parser and one noun's commands may take. */
const mostBytes = 263_500

/** A library and everything that it depends on. */
function withDependencies(name: string, found = new Set<string>()): readonly string[] {
  if (found.has(name)) return []
  found.add(name)
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(
    readFileSync(`node_modules/${name}/package.json`, 'utf8'),
  ) as Partial<Record<'dependencies' | 'peerDependencies', Readonly<Record<string, string>>>>
  for (const next of Object.keys({ ...dependencies, ...peerDependencies }))
    if (existsSync(`node_modules/${next}`)) withDependencies(next, found)
  return [...found]
}

/** A noun's request loads the schemas of that noun only. The largest stand for all of them. */
const organizationSchemas = 'shared/contract/organization.ts'

/** What of Node itself takes long to load: an import, not what is asked for at its first use. */
const heavyOfNode = (files: readonly string[]): readonly string[] => {
  const text = files.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n')
  return ['node:crypto', 'node:http'].filter((name) => new RegExp(`(from|import)\\s*["']${name}["']`).test(text))
}

const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0)

it('is in files that the engine keeps in one byte a character', () => {
  const folders = [dist, join(dist, '../server')]
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const code = files.filter((file) => file.endsWith('.js'))
  expect(code.length).toBeGreaterThan(100)
  expect(code.filter((file) => /[\u0100-\uffff]/.test(readFileSync(file, 'utf8')))).toEqual([])
})

describe('what a run loads before it ends', () => {
  it('is the first chunk alone for the version, every help and the tree of commands', async () => {
    for (const argv of [
      ['--version'],
      ['--help'],
      [],
      ['session', 'list', '--help'],
      ['org', '-h'],
      ['commands', '--json'],
    ]) {
      const files = await loadedBy(argv)
      expect([argv, files.length, librariesOf(files)]).toEqual([argv, 2, ['env-paths', 'is-safe-filename']])
      expect(bytesOf(files)).toBeLessThan(47_000)
    }
  })

  it.each([
    ['a misspelt command', ['sesion', 'list']],
    ['an unknown flag of a flow that asks', ['account', 'password', 'set', '--nonesuch']],
    ['an unknown flag of a command that describes others', ['schema', '--nonesuch']],
    ['nobody signed in', ['whoami']],
    ['an account that is not signed in', ['whoami', '--account', 'nobody@example.com']],
    ['the commands as a table', ['commands']],
    ['the schema of an answer', ['schema', 'session', 'list']],
    ['a completion that needs no service', ['__complete', '--', 'session', 'l']],
  ] as const)('is the parser, and nothing heavy, for %s', async (_, argv) => {
    const files = await loadedBy(argv)
    expect([foreignTo(parser, files), heavyOfNode(files), bytesOf(files) < mostBytes]).toEqual([[], [], true])
  })

  it.each(inTurn(wrongLines()))('is the parser, and nothing heavy, for the usage error of `%s`', async (line) => {
    const files = await loadedBy(line.split(' '))
    expect([foreignTo(parser, files), heavyOfNode(files), bytesOf(files) < mostBytes]).toEqual([[], [], true])
  })

  it('is React and Ink, and no request, for the first frame of the terminal UI', async () => {
    const files = await loadedForFrame()
    expect(foreignTo(frame, files)).toEqual([])
    expect(bytesOf(files)).toBeLessThan(767_000)
  })

  it('or it is found out', () => {
    const files = readdirSync(dist).filter((file) => file.endsWith('.js'))
    expect(files.filter((file) => !(file in contents))).toEqual([])
    expect(librariesOf(files)).toEqual(
      expect.arrayContaining(['react', 'tldts', 'tough-cookie', ...request].toSorted()),
    )
    expect(foreignTo(request, files)).toEqual(expect.arrayContaining(['ink', 'react']))
    expect(files.flatMap(sourcesOf)).toContain(organizationSchemas)
    expect(heavyOfNode(files)).toEqual(['node:crypto', 'node:http'])
  })
})

/** A usage error of every top-level command: an unknown flag of its first leaf, and of a noun an unknown verb. */
function wrongLines(): readonly string[] {
  const { commands } = JSON.parse(readFileSync(join(dist, 'tree.json'), 'utf8')) as CommandNode
  const leafOf = (node: CommandNode): CommandNode => (node.commands[0] ? leafOf(node.commands[0]) : node)
  const nouns = commands.filter((node) => node.commands.length > 0 && node.arguments.length === 0)
  return [
    ...commands.map((node) => `${leafOf(node).path} --nonesuch`),
    ...nouns.map(({ path }) => `${path} nonesuch`),
  ].map((line) => line.replace('postern ', ''))
}

describe('what a run loads for a request', () => {
  let service: AnsweringService
  const state = temporaryFolder('signed-in')
  const signedIn = () => ({ POSTERN_URL: service.url, POSTERN_CONFIG_DIR: state, POSTERN_STATE_DIR: state })
  beforeAll(async () => {
    service = await startAnswers(usual())
    const signIn = ['sign-in', '--email', 'alice@example.com', '--password-file', '-']
    await runBuilt(signIn, { env: signedIn(), input: 'password\n' })
  })
  afterAll(() => service.close())

  it.each([
    ['whoami', ['whoami']],
    ['a list', ['session', 'list', '--json']],
  ] as const)('is undici, zod and the schemas of its noun, for %s', async (_, argv) => {
    service.forget()
    const files = await loadedBy(argv, signedIn())
    expect(service.seen.length).toBeGreaterThan(0)
    expect(librariesOf(files)).toEqual(request)
    expect(files.flatMap(sourcesOf)).not.toContain(organizationSchemas)
    expect(bytesOf(files)).toBeLessThan(637_000)
  })
})

describe('what the build writes down', () => {
  it('is the tree of the commands as they are', async () => {
    const root = await createProgram(createContext(hostOf(() => new AbortController().signal)))
    expect(JSON.parse(readFileSync(join(dist, 'tree.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(await liveTree(root))),
    )
  })

  it('prints the same help as the commands themselves', async () => {
    const postern = createRunner()
    for (const line of ['--help', 'session --help', 'orgs create -h', 'help member role set', 'commands --json'])
      expect((await runBuilt(line.split(' '), { env })).stdout).toBe((await postern(line)).stdout)
  })
})
