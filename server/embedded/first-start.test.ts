import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { prepareCluster } from './cluster-setup.ts'
import { explainFileError } from './error.ts'
import { checkFirstStart } from './first-start.ts'

const root = process.getuid?.() === 0

/** What the check and the first start say of a folder in a new one that others may enter, and what is left of it. */
async function asked(make: (folder: string) => string) {
  const folder = temporaryFolder('first')
  chmodSync(folder, 0o755)
  const dataDir = make(folder)
  const look = () =>
    readdirSync(folder, { recursive: true }).map((name) => [name, lstatSync(join(folder, String(name))).mode])
  const before = look()
  const reasonOf = (error: unknown) => (error as Error).message
  const checked = await checkFirstStart(dataDir).catch(reasonOf)
  expect(look()).toEqual(before)
  const started = await prepareCluster(dataDir, null).then(
    () => undefined,
    (error: unknown) => explainFileError(dataDir, error).message,
  )
  return { checked, started }
}

const makeFolder = (path: string, mode: number): string => {
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}

it.each<[string, (folder: string) => string]>([
  ['that can be made', (folder) => join(folder, 'new', 'data')],
  ['that is empty', (folder) => makeFolder(join(folder, 'data'), 0o700)],
  [
    'that a link leads to',
    (folder) => {
      symlinkSync(makeFolder(join(folder, 'data'), 0o755), join(folder, 'link'))
      return join(folder, 'link', 'new')
    },
  ],
])('accepts a folder %s, as the first start does', async (_name, make) => {
  expect(await asked(make)).toEqual({ checked: undefined, started: undefined })
})

it.each<[string, RegExp, (folder: string) => string]>([
  ['that everybody can write to', /everybody can write to it/, (folder) => makeFolder(join(folder, 'data'), 0o777)],
  ['below such a one', /everybody can write to it/, (folder) => join(makeFolder(join(folder, 'open'), 0o777), 'data')],
  [
    'that is a link that leads nowhere',
    /ENOENT/,
    (folder) => {
      symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
      return join(folder, 'link')
    },
  ],
])('refuses a folder %s, as the first start does', async (_name, reason, make) => {
  const { checked, started } = await asked(make)
  expect(checked).toMatch(reason)
  expect(checked).toBe(started)
})

it.runIf(root).each<[string, RegExp, (folder: string) => string]>([
  [
    'below one that is closed',
    /cannot enter .*home\. Set DATA_DIR/,
    (folder) => join(makeFolder(join(folder, 'home'), 0o700), 'data'),
  ],
  [
    'that is closed and in use',
    /cannot enter .*home\. Run: chmod a\+x/,
    (folder) => {
      const home = makeFolder(join(folder, 'home'), 0o700)
      writeFileSync(join(home, 'thesis.txt'), 'mine')
      return home
    },
  ],
  [
    'of another user',
    /it belongs to another user \(uid 1234\)/,
    (folder) => {
      const theirs = makeFolder(join(folder, 'theirs'), 0o755)
      chownSync(theirs, 1234, 1234)
      return theirs
    },
  ],
])('as root refuses a folder %s, as the first start does', async (_name, reason, make) => {
  const { checked, started } = await asked(make)
  expect(checked).toMatch(reason)
  expect(checked).toBe(started)
})

it('refuses a folder that cannot be made', async () => {
  const file = join(temporaryFolder('first'), 'file')
  writeFileSync(file, '')
  await expect(checkFirstStart(join(file, 'data'))).rejects.toThrow(/cannot be used: (?:ENOTDIR|EEXIST).*Set DATA_DIR/)
})

it('refuses a machine without a PostgreSQL to embed', async () => {
  const none = () => Promise.resolve(false)
  await expect(checkFirstStart(temporaryFolder('first'), none)).rejects.toThrow(/No PostgreSQL to embed was found/)
})
