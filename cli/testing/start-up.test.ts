import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { commandTree } from '../argv/tree.ts'
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

/** What takes long to load. */
const heavy = {
  React: 'node_modules/react/',
  undici: 'node_modules/undici/',
  zod: 'node_modules/zod/',
  'the public suffixes': 'node_modules/tldts/',
  'the schemas of organizations': 'shared/contract/organization.ts',
}
const heavyOf = (files: readonly string[]): readonly string[] => {
  const sources = files.flatMap(sourcesOf)
  return Object.entries(heavy).flatMap(([name, start]) =>
    sources.some((path) => path.startsWith(start)) ? [name] : [],
  )
}

/** What of Node itself takes long to load: an import, not what is asked for at its first use. */
const heavyOfNode = (files: readonly string[]): readonly string[] => {
  const text = files.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n')
  return ['node:crypto', 'node:http'].filter((name) => new RegExp(`(from|import)\\s*["']${name}["']`).test(text))
}

const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0)

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
      expect([argv, files.length]).toEqual([argv, 2])
      expect(bytesOf(files)).toBeLessThan(40_000)
    }
  })

  it.each([
    ['a misspelt command', ['sesion', 'list']],
    ['an unknown flag', ['session', 'list', '--nonesuch']],
    ['a flow that takes a name', ['sign-up', '--nonesuch']],
    ['an unknown command of organizations', ['org', 'nonesuch']],
    ['an unknown flag of organizations', ['org', 'list', '--nonesuch']],
    ['an unknown command of accounts', ['account', 'nonesuch']],
    ['an unknown flag of accounts', ['account', 'password', 'set', '--nonesuch']],
    ['nobody signed in', ['whoami']],
    ['an account that is not signed in', ['whoami', '--account', 'nobody@example.com']],
    ['the commands as a table', ['commands']],
    ['a completion that needs no service', ['__complete', '--', 'session', 'l']],
  ] as const)('is little, and nothing heavy, for %s', async (_, argv) => {
    const files = await loadedBy(argv)
    expect(bytesOf(files)).toBeLessThan(225_000)
    expect([heavyOf(files), heavyOfNode(files)]).toEqual([[], []])
  })

  it('is React and nothing else that is heavy, for the first frame of the terminal UI', async () => {
    const files = await loadedForFrame()
    expect(heavyOf(files)).toEqual(['React'])
    expect(bytesOf(files)).toBeLessThan(710_000)
  })

  it('or it is found out', () => {
    expect(readdirSync(dist).filter((file) => file.endsWith('.js') && !(file in contents))).toEqual([])
    expect(heavyOf(readdirSync(dist))).toEqual(Object.keys(heavy))
    const files = readdirSync(dist).filter((file) => file.endsWith('.js'))
    expect(heavyOfNode(files)).toEqual(['node:crypto', 'node:http'])
  })
})

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
    expect(heavyOf(files)).toEqual(['undici', 'zod'])
    expect(bytesOf(files)).toBeLessThan(600_000)
  })
})

describe('what the build writes down', () => {
  it('is the tree of the commands as they are', async () => {
    const root = await createProgram(createContext(hostOf(() => new AbortController().signal)))
    expect(JSON.parse(readFileSync(join(dist, 'tree.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(commandTree(root))),
    )
  })

  it('prints the same help as the commands themselves', async () => {
    const postern = createRunner()
    for (const line of ['--help', 'session --help', 'orgs create -h', 'help member role set', 'commands --json'])
      expect((await runBuilt(line.split(' '), { env })).stdout).toBe((await postern(line)).stdout)
  })
})
