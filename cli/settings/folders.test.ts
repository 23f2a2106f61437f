import { afterEach, expect, it, vi } from 'vitest'
import { foldersOf } from './folders.ts'

afterEach(() => void vi.unstubAllEnvs())

it.runIf(process.platform === 'linux')('the folders are those of XDG, unless a variable names others', () => {
  vi.stubEnv('XDG_CONFIG_HOME', '/xdg/config')
  vi.stubEnv('XDG_STATE_HOME', '/xdg/state')
  const ofXdg = { config: '/xdg/config/postern', state: '/xdg/state/postern' }
  expect(foldersOf({})).toEqual(ofXdg)
  expect(foldersOf({ POSTERN_CONFIG_DIR: '', POSTERN_STATE_DIR: '' })).toEqual(ofXdg)
  expect(foldersOf({ POSTERN_CONFIG_DIR: '/c', POSTERN_STATE_DIR: '/s' })).toEqual({ config: '/c', state: '/s' })
})

// An empty HOME makes them relative too, but the library looks it up only once.
it.runIf(process.platform === 'linux')('they are never below the working directory', () => {
  vi.stubEnv('XDG_CONFIG_HOME', '.config')
  vi.stubEnv('XDG_STATE_HOME', '.local/state')
  expect(foldersOf({})).toEqual({ config: '/.config/postern', state: '/.local/state/postern' })
})
