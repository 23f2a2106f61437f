import { join } from 'node:path'
import envPaths from 'env-paths'
import type { Environment } from '../process/host.ts'

export interface Folders {
  readonly config: string
  /** The jars and the current account. */
  readonly state: string
}

/** XDG folders, or the platform's own. A variable can change each. */
export function foldersOf(env: Environment): Folders {
  const own = envPaths('postern', { suffix: '' })
  return {
    config: env['POSTERN_CONFIG_DIR'] || own.config,
    state: env['POSTERN_STATE_DIR'] || (process.platform === 'linux' ? own.log : own.data),
  }
}

export const configPath = (folders: Folders): string => join(folders.config, 'config.json')
