import { Argument, Command } from 'commander'
import { describeCommand, withCompleter } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { nearestWord } from '../../flows/candidates.ts'
import { notFoundError, usageError } from '../../output/cli-error.ts'
import {
  changeConfig,
  isKeySetting,
  isNamedSetting,
  keySettingPrefix,
  type SettingName,
  type StoredSettings,
  settingNames,
} from '../../settings/config-file.ts'
import { checkSetting, storedKeys } from '../../settings/settings.ts'
import { localListCommand } from '../local-list.ts'

export const configCommand = (context: Context): Command =>
  noun('config', { summary: 'Default settings on this machine' }, [
    configListCommand(context),
    configGetCommand(context),
    configSetCommand(context),
    configUnsetCommand(context),
  ])

/** Permission to use unencrypted http is stored together with its address, in a profile. */
const names = settingNames.filter((name) => name !== 'allow-http')

const nameHelp = `one of ${names.join(', ')}; keys of the terminal UI are ${keySettingPrefix}ACTION`

const settingArgument = () => withCompleter(new Argument('<setting>', nameHelp), async () => names)

/** Returns the setting with this name. Exit 2 if there is none. */
function parseSettingName(text: string): SettingName {
  if (text === 'allow-http')
    throw usageError(
      'allow-http belongs in a profile, together with the address that it applies to',
      'postern profile create NAME --url URL --allow-http',
    )
  if (isNamedSetting(text) || isKeySetting(text)) return text
  const meant = nearestWord(text, names)
  throw usageError(`No setting ${text}`, `${meant ? `Did you mean ${meant}? ` : ''}Settings: ${names.join(', ')}`)
}

const configGetCommand = (context: Context): Command =>
  describeCommand(
    new Command('get')
      .description('The value of a setting in the config file')
      .addArgument(settingArgument())
      .action((text: string) => {
        const setting = parseSettingName(text)
        const value = context.config.settings[setting]
        if (value === undefined)
          throw notFoundError(`${setting} is not set`, 'See the value in use: postern auth status --explain')
        context.out.line(value, { setting, value })
      }),
    { form: 'one', fields, ends: ['notFound', 'localState'], examples: ['url'] },
  )

const fields = { setting: { title: 'Setting', type: 'text' }, value: { title: 'Value', type: 'text' } } as const

const configListCommand = (context: Context): Command =>
  localListCommand(context, {
    summary: 'The settings in the config file',
    id: 'setting',
    empty: 'Nothing is set: postern config set url https://…',
    list: () => Object.entries(context.config.settings).map(([setting, value = '']) => ({ setting, value })),
    fields,
    ends: ['localState'],
    examples: [''],
  })

const configSetCommand = (context: Context): Command =>
  describeCommand(
    new Command('set')
      .description('Set a default in the config file; profiles, variables and flags override it')
      .addArgument(settingArgument())
      .argument('<value>', 'its value')
      .action((setting: string, value: string) => set(context, setting, value)),
    {
      form: 'change',
      ends: ['localState'],
      fields: { setting: 'text', value: 'text?' },
      examples: ['url https://accounts.example.com', 'timeout 10s', `${keySettingPrefix}palette 'ctrl-p :'`],
    },
  )

async function set(context: Context, text: string, value: string): Promise<void> {
  const setting = parseSettingName(text)
  await check(context, setting, value)
  const status = context.config.settings[setting] === value ? 'unchanged' : 'updated'
  await changeConfig(context.configPath, (config) => ({
    ...config,
    settings: { ...config.settings, [setting]: value },
  }))
  context.out.done(`Set ${setting} to ${value}`, { status, resource: { setting, value } })
}

async function check({ config: { settings } }: Context, setting: SettingName, value: string): Promise<void> {
  if (!isKeySetting(setting)) return checkSetting(setting, value)
  // The table of keys is loaded for such a setting only.
  const { keymapWith } = await import('../../tui/keymap/remap.ts')
  keymapWith(storedKeys({ ...settings, [setting]: value }))
}

const configUnsetCommand = (context: Context): Command =>
  describeCommand(
    new Command('unset')
      .description('Remove a setting from the config file')
      .addArgument(settingArgument())
      .action((setting: string) => unset(context, setting)),
    { form: 'change', fields: { setting: 'text', value: 'text?' }, ends: ['localState'], examples: ['url'] },
  )

async function unset(context: Context, text: string): Promise<void> {
  const setting = parseSettingName(text)
  const value = context.config.settings[setting] ?? null
  await changeConfig(context.configPath, (config) => ({ ...config, settings: without(config.settings, setting) }))
  const status = value === null ? 'unchanged' : 'deleted'
  context.out.done(value === null ? `${setting} was not set` : `Unset ${setting}`, {
    status,
    resource: { setting, value },
  })
}

const without = (settings: StoredSettings, name: SettingName): StoredSettings =>
  Object.fromEntries(Object.entries(settings).filter(([setting]) => setting !== name))
