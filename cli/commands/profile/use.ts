import { Argument, Command } from 'commander'
import { about } from '../../argv/about.ts'
import { completeWith } from '../../argv/completer.ts'
import type { Context } from '../../context.ts'
import { changeConfig } from '../../settings/config-file.ts'
import { profileFields, profileRow } from './fields.ts'
import { findProfile } from './find.ts'

export const profileUseCommand = (context: Context): Command =>
  about(
    new Command('use')
      .description('Make a profile the one that is used when none is named')
      .addArgument(
        completeWith(new Argument('<name>', 'its name; - uses none'), async () => Object.keys(context.config.profiles)),
      )
      .action((name: string) => (name === '-' ? useNone(context) : use(context, name))),
    { form: 'change', fields: { ...profileFields, name: 'text?', current: 'flag?' }, examples: ['work', '-'] },
  )

async function use(context: Context, name: string): Promise<void> {
  const { profile } = context.config
  await changeConfig(context.configPath, (config) => {
    findProfile(config, name)
    return { ...config, profile: name }
  })
  const resource = profileRow(name, findProfile(context.config, name), true)
  context.out.done(`Using profile ${name}`, { status: profile === name ? 'unchanged' : 'updated', resource })
}

async function useNone(context: Context): Promise<void> {
  const { profile } = context.config
  await changeConfig(context.configPath, ({ format, settings, profiles }) => ({ format, settings, profiles }))
  context.out.done('Using no profile', {
    status: profile === undefined ? 'unchanged' : 'updated',
    resource: { name: null },
  })
}
