import { Argument, Command } from 'commander'
import { about } from '../../argv/about.ts'
import { completeWith } from '../../argv/completer.ts'
import type { Context } from '../../context.ts'
import { type ConfigFile, changeConfig } from '../../settings/config-file.ts'
import { profileFields, profileRow } from './fields.ts'
import { findProfile } from './find.ts'

export const profileDeleteCommand = (context: Context): Command =>
  about(
    new Command('delete')
      .description('Forget a profile; sessions stay')
      .addArgument(completeWith(new Argument('<name>', 'its name'), async () => Object.keys(context.config.profiles)))
      .action((name: string) => remove(context, name)),
    { form: 'change', fields: profileFields, examples: ['work'] },
  )

async function remove(context: Context, name: string): Promise<void> {
  const resource = profileRow(name, findProfile(context.config, name), context.config.profile === name)
  await changeConfig(context.configPath, (config) => without(config, name))
  context.out.done(`Deleted profile ${name}`, { status: 'deleted', resource })
}

function without({ profile, ...config }: ConfigFile, name: string): ConfigFile {
  const { [name]: _, ...profiles } = config.profiles
  return { ...config, ...(profile !== undefined && profile !== name && { profile }), profiles }
}
