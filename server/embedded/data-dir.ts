import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

interface SystemUser {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly root: boolean
}

const current = (): SystemUser => ({ platform: process.platform, home: findHome(), root: process.getuid?.() === 0 })

/** A user of a container has no entry in /etc/passwd and perhaps no HOME, or an empty one. */
function findHome(): string {
  try {
    return homedir() || '/'
  } catch {
    return '/'
  }
}

/**
 * The default folder of the embedded database, when DATA_DIR is not set: per user, by the platform's convention. For
 * root: /var/lib/postern.
 */
export function defaultDataDir(
  env: { readonly XDG_DATA_HOME?: string | undefined; readonly LOCALAPPDATA?: string | undefined },
  person: SystemUser = current(),
): string {
  if (person.platform === 'win32') return join(env.LOCALAPPDATA || join(person.home, 'AppData', 'Local'), 'postern')
  if (person.root) return '/var/lib/postern'
  if (person.platform === 'darwin') return join(person.home, 'Library', 'Application Support', 'postern')
  // XDG Base Directory: a relative path there is invalid and ignored.
  const xdg = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return join(xdg ?? join(person.home, '.local', 'share'), 'postern')
}
