import { constants, type Dirent } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ClusterSetup } from './cluster-setup.ts'
import { makeDraft, moveInto } from './draft.ts'
import { errorCodeOf } from './error.ts'
import { run } from './run.ts'

/** Where the package's programs can be run from: in place, or as a copy where their user cannot reach them. */
export async function* packageFolders(setup: ClusterSetup, packageFolder: string): AsyncGenerator<string> {
  const inPlace = join(packageFolder, 'native', 'bin')
  const { failure } = await run(setup, join(inPlace, 'postgres'), ['--version'])
  const reachable = failure !== 'EACCES' && failure !== 'EPERM'
  if (reachable && (await makeLinks(packageFolder))) yield inPlace
  else yield join(await keepCopy(setup, packageFolder), 'native', 'bin')
}

/** npm packages hold no links; the package's install script makes them, unless such scripts are off. False: could not. */
async function makeLinks(packageFolder: string): Promise<boolean> {
  const text = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(text) as { source: string; target: string }[]
  const made = await Promise.all(
    links.map(({ source, target }) => makeLink(basename(source), join(packageFolder, target))),
  )
  return made.every(Boolean)
}

async function makeLink(to: string, path: string): Promise<boolean> {
  if (await lstat(path).catch(() => undefined)) return true
  return symlink(to, path).then(
    () => true,
    (error: unknown) => errorCodeOf(error) === 'EEXIST',
  )
}

async function keepCopy(setup: ClusterSetup, packageFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const copy = join(setup.dataDir, `engine-${version}`)
  if (await isWhole(setup, copy)) return copy
  const draft = await makeDraft(setup)
  await copyTree(join(packageFolder, 'native'), join(draft, 'native'))
  await makeLinks(draft)
  await replace(setup, draft, copy)
  await removeOthers(setup.dataDir, basename(copy))
  return copy
}

/** Copies of earlier versions: no server runs from them, or we would have joined it. */
async function removeOthers(dataDir: string, kept: string): Promise<void> {
  const others = (await readdir(dataDir)).filter((name) => name.startsWith('engine-') && name !== kept)
  await Promise.all(others.map((name) => rm(join(dataDir, name), { recursive: true, force: true })))
}

/** A power cut can leave a copy whose files are empty; the exit code alone does not show it, an empty program "succeeds". */
async function isWhole(setup: ClusterSetup, copy: string): Promise<boolean> {
  const { output } = await run(setup, join(copy, 'native', 'bin', 'postgres'), ['--version'])
  return output.includes('(PostgreSQL)')
}

async function replace(setup: ClusterSetup, draft: string, copy: string): Promise<void> {
  if (await moveInto(draft, copy)) return
  // Somebody was faster, or a broken copy is in the way.
  if (!(await isWhole(setup, copy))) await rm(copy, { recursive: true, force: true })
  if (!(await moveInto(draft, copy))) await rm(draft, { recursive: true, force: true })
}

/** Plain files, readable by everybody whatever the umask of the installation was; what only compilers need stays behind. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  const entries = await readdir(from, { withFileTypes: true })
  for (const entry of entries) await copyEntry(entry, join(from, entry.name), join(to, entry.name))
}

async function copyEntry(entry: Dirent, from: string, to: string): Promise<void> {
  if (entry.isDirectory() && entry.name !== 'pkgconfig') return copyTree(from, to)
  if (!entry.isFile() || entry.name.endsWith('.a')) return
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, basename(dirname(to)) === 'bin' ? 0o755 : 0o644)
}
