import { join, resolve } from 'node:path'
import envPaths from 'env-paths'
import type { Environment } from '../process/host.ts'

export interface Folders {
  readonly config: string
  /** The jars and the current account. */
  readonly state: string
}

/**
 * XDG folders, or the platform's own. A variable can change each. With an empty HOME they would be in the working
 * directory, whose files may be somebody else's; they are below the root then, as a shell expands `~`.
 */
export function foldersOf(env: Environment): Folders {
  const own = envPaths('postern', { suffix: '' })
  return {
    config: env['POSTERN_CONFIG_DIR'] || resolve('/', own.config),
    state: env['POSTERN_STATE_DIR'] || resolve('/', process.platform === 'linux' ? own.log : own.data),
  }
}

export const configPath = (folders: Folders): string => join(folders.config, 'config.json')
