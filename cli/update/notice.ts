import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { name } from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import type { Environment } from '../process/host.ts'
import { startInBackground } from '../process/run-program.ts'
import { version } from '../process/version.ts'
import { whyNotInteractive } from '../prompt/interactive.ts'

const day = 86_400_000

/**
 * Tells a person at a terminal about a newer version, and lets npm look for one in the background, each at most once a
 * day. A later command prints what npm finds. Off unless a setting turns it on, since only the user knows who owns the
 * package of this name in their registry.
 */
export function noticeUpdate(context: Context): void {
  try {
    if (isWanted(context)) tellAndLook(context)
  } catch {
    // A notice is not worth an error.
  }
}

const isWanted = ({ host, flags, out, settings }: Context): boolean =>
  out.style.mode === 'people' && whyNotInteractive(host, flags) === undefined && settings.updateNotice.value

function tellAndLook({ host, folders, out }: Context): void {
  const folder = join(folders.state, 'update')
  const [newest, told] = [join(folder, 'newest'), join(folder, 'told')]
  const found = textIn(newest)
  const now = host.now()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isNewer(found, version) && isDue(told, now)) {
    writeFileSync(told, '', { mode: 0o600 })
    out.note(`${name} ${found} is out, this is ${version}: npm install --global ${name}`)
    out.note('No such notices: postern config set update-notice off')
  }
  if (isDue(newest, now)) lookUp(folder, newest, host.env)
}

/**
 * npm knows the registry, the proxy and the certificates. It is not run in a folder whose `.npmrc` could be foreign.
 */
function lookUp(folder: string, newest: string, env: Environment): void {
  // Our own variables can hold secrets.
  const others = Object.fromEntries(Object.entries(env).filter(([variable]) => !variable.startsWith('POSTERN_')))
  const output = openSync(newest, 'w', 0o600)
  const quiet = ['--silent', '--no-update-notifier', '--fetch-retries=0', '--fetch-timeout=10000', '--logs-max=0']
  startInBackground('npm', ['view', name, 'version', ...quiet], { cwd: folder, env: others, output })
  closeSync(output)
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

/** The time of the file says when it was done last. A time in the future comes from a clock that was wrong. */
function isDue(file: string, now: number): boolean {
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return Math.abs(now - mtimeMs) > day
}

/** Whatever is no plain version is not newer. */
export function isNewer(found: string, own: string): boolean {
  const numbers = (text: string) => (/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text) ? text.split('.').map(Number) : [])
  const [theirs, ours] = [numbers(found), numbers(own)]
  const at = theirs.findIndex((number, index) => number !== ours[index])
  return ours.length > 0 && at >= 0 && (theirs[at] ?? 0) > (ours[at] ?? 0)
}
