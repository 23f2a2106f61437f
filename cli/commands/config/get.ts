import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { notFoundError } from '../../output/cli-error.ts'
import { nameHelp, parseSettingName } from './names.ts'

export const configGetCommand = (context: Context): Command =>
  about(
    new Command('get')
      .description('What the config file sets for one setting')
      .argument('<setting>', nameHelp)
      .action((text: string) => {
        const setting = parseSettingName(text)
        const value = context.config.settings[setting]
        if (value === undefined)
          throw notFoundError(`${setting} is not set`, 'See what is used: postern auth status --explain')
        context.out.line(value, { setting, value })
      }),
    { form: 'one', fields: { setting: 'text', value: 'text' }, examples: ['url'] },
  )
