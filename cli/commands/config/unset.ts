import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { changeConfig, type SettingName, type StoredSettings } from '../../settings/config-file.ts'
import { nameHelp, parseSettingName } from './names.ts'

export const configUnsetCommand = (context: Context): Command =>
  about(
    new Command('unset')
      .description('Leave a setting to the next in line')
      .argument('<setting>', nameHelp)
      .action((setting: string) => unset(context, setting)),
    { form: 'change', fields: { setting: 'text', value: 'text?' }, examples: ['url'] },
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
