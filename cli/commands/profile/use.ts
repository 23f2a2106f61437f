import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { changeConfig } from '../../settings/config-file.ts'
import { profileFields, profileRow } from './fields.ts'
import { findProfile } from './find.ts'

export const profileUseCommand = (context: Context): Command =>
  about(
    new Command('use')
      .description('Make a profile the one that is used when none is named')
      .argument('<name>', 'its name; - uses none')
      .action((name: string) => (name === '-' ? useNone(context) : use(context, name))),
    { form: 'change', fields: profileFields, examples: ['postern profile use work', 'postern profile use -'] },
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
