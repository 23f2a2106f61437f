import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { changeConfig } from '../../settings/config-file.ts'
import { checkSetting } from '../../settings/settings.ts'
import { nameHelp, parseSettingName } from './names.ts'

export const configSetCommand = (context: Context): Command =>
  about(
    new Command('set')
      .description('Set a setting for every run that no flag, variable or profile tells otherwise')
      .argument('<setting>', nameHelp)
      .argument('<value>', 'its value')
      .action((setting: string, value: string) => set(context, setting, value)),
    {
      form: 'change',
      fields: { setting: 'text', value: 'text?' },
      examples: ['url https://accounts.example.com', 'timeout 10s'],
    },
  )

async function set(context: Context, text: string, value: string): Promise<void> {
  const setting = parseSettingName(text)
  checkSetting(setting, value)
  const status = context.config.settings[setting] === value ? 'unchanged' : 'updated'
  await changeConfig(context.configPath, (config) => ({
    ...config,
    settings: { ...config.settings, [setting]: value },
  }))
  context.out.done(`Set ${setting} to ${value}`, { status, resource: { setting, value } })
}
