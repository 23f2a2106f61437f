import { expect, it } from 'vitest'
import type { Flags } from '../argv/flags.ts'
import type { Environment } from '../process/host.ts'
import type { ConfigFile } from './config-file.ts'
import { resolveSettings } from './settings.ts'

const stored = (config: Partial<ConfigFile> = {}): ConfigFile => ({
  format: 1,
  settings: {},
  profiles: {},
  aliases: {},
  ...config,
})
const settingsOf = (flags: Flags = {}, env: Environment = {}, config: Partial<ConfigFile> = {}) =>
  resolveSettings(flags, env, () => stored(config))

it('without a word the defaults hold', () => {
  const { timeout, retries, color, readOnly, updateNotice, debug, tui } = settingsOf()
  const values = [timeout, retries, color, readOnly, updateNotice, debug, tui.mouse, tui.theme]
  expect(values.map(({ value }) => value)).toEqual([30_000, 2, 'auto', false, false, false, true, 'terminal'])
  expect(new Set(values.map(({ from }) => from))).toEqual(new Set(['built-in']))
})

it.each([
  ['30', 30_000],
  ['500ms', 500],
  ['5m', 300_000],
  ['24h', 86_400_000],
])('the timeout %s is %i milliseconds', (timeout, milliseconds) => {
  expect(settingsOf({ timeout }).timeout.value).toBe(milliseconds)
})

interface Told {
  readonly flags?: Flags
  readonly env: Environment
  readonly config?: Partial<ConfigFile>
}

it.each<[string, string, Told]>([
  ['NO_COLOR', 'never', { env: { NO_COLOR: '1' } }],
  ['an empty NO_COLOR', 'auto', { env: { NO_COLOR: '' } }],
  ['FORCE_COLOR', 'always', { env: { FORCE_COLOR: '1' } }],
  ['FORCE_COLOR=0', 'never', { env: { FORCE_COLOR: '0' } }],
  ['both', 'never', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }],
  ['NO_COLOR and --color', 'always', { flags: { color: 'always' }, env: { NO_COLOR: '1' } }],
  ['NO_COLOR and the config file', 'never', { env: { NO_COLOR: '1' }, config: { settings: { color: 'always' } } }],
])('with %s colour is used %s', (_, used, { flags, env, config }) => {
  expect(settingsOf(flags, env, config).color.value).toBe(used)
})

it.each(Object.entries({ on: true, true: true, 1: true, yes: true, off: false, false: false, 0: false, no: false }))(
  'a switch takes %s',
  (text, isOn) => {
    expect(settingsOf({}, { POSTERN_DEBUG: text }).debug.value).toBe(isOn)
  },
)

it.each([
  [{ retries: '11' }, '--retries is not a number from 0 to 10: 11', 'For example: --retries 0'],
  [{ color: 'sometimes' }, '--color is not auto, always or never: sometimes', 'For example: --color never'],
  [{ timeout: '25h' }, '--timeout is not a duration: 25h', 'For example: --timeout 10s'],
  [
    { profile: 'constructor' },
    '--profile names a profile that does not exist: constructor',
    'See them: postern profile list',
  ],
])('%j is refused, with what to do', (flags, message, hint) => {
  const read = () => {
    const { retries, color, timeout } = settingsOf(flags)
    return [retries, color, timeout]
  }
  expect(read).toThrow(expect.objectContaining({ message, hint, exitCode: 2 }))
})

it('a theme that there is not is refused with those that there are', () => {
  const themes = 'Themes: terminal, dark, light, high-contrast'
  const read = () => settingsOf({}, { POSTERN_THEME: 'sepia' }).tui
  expect(read).toThrow(expect.objectContaining({ message: 'POSTERN_THEME is not a theme: sepia', hint: themes }))
})

it('an empty variable counts as unset, also that of the profile', () => {
  const env = { POSTERN_PROFILE: '', POSTERN_ORG: '', POSTERN_ACCOUNT: '' }
  const config = { profile: 'work', profiles: { work: { org: 'acme' } } }
  const { profile, organization, account } = settingsOf({}, env, config)
  expect([profile, organization, account]).toEqual([
    { value: 'work', from: 'config' },
    { value: 'acme', from: 'profile work' },
    { value: undefined, from: 'not set' },
  ])
})

it('the keys of a profile replace those of the config file', () => {
  const settings = { 'tui.keys.search': 's', 'tui.keys.help': 'h' } as const
  const config = { profile: 'work', settings, profiles: { work: { 'tui.keys.search': 'f' } as const } }
  expect(settingsOf({}, {}, config).tui.keys).toEqual({ search: 'f', help: 'h' })
})
