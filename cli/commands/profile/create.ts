import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../argv/about.ts'
import type { Flags } from '../../argv/flags.ts'
import type { Context } from '../../context.ts'
import { CliError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { changeConfig, type StoredSettings } from '../../settings/config-file.ts'
import { checkSetting, isSettingName } from '../../settings/settings.ts'
import { profileFields, profileRow } from './fields.ts'

export const profileCreateCommand = (context: Context): Command =>
  about(
    new Command('create')
      .description(
        'Keep a service and settings under a name; takes --url, --account, --org, --timeout, --retries, --color, --read-only, --allow-http',
      )
      .argument('<name>', 'letters, digits, dots and dashes')
      .action((name: string) => create(context, name)),
    {
      form: 'change',
      fields: profileFields,
      examples: ['work --url https://accounts.example.com --account alice@example.com'],
    },
  )

async function create(context: Context, name: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name))
    throw usageError(`Not a name for a profile: ${name}`, 'For example: work')
  const stored = storedOf(context.flags)
  await changeConfig(context.configPath, (config) => {
    if (Object.hasOwn(config.profiles, name)) throw exists(name)
    return { ...config, profiles: { ...config.profiles, [name]: stored } }
  })
  context.out.done(`Created profile ${name}`, { status: 'created', resource: profileRow(name, stored, false) })
  context.out.note(`Use it: ${commandLine('postern', 'profile', 'use', name)}, or --profile ${name} once`)
}

function storedOf({ url, account, org, timeout, retries, color, readOnly, allowHttp }: Flags): StoredSettings {
  const switches = { 'read-only': readOnly ? 'on' : undefined, 'allow-http': allowHttp ? 'on' : undefined }
  const given = Object.entries({ url, account, org, timeout, retries, color, ...switches })
  const stored = given.flatMap(([name, value]) =>
    value !== undefined && isSettingName(name) ? [[name, value] as const] : [],
  )
  for (const [name, value] of stored) checkSetting(name, value, { allowHttp })
  return Object.fromEntries(stored)
}

const exists = (name: string) =>
  new CliError(exitCodes.conflict, `There is a profile ${name} already`, {
    code: 'PROFILE_EXISTS',
    hint: commandLine('postern', 'profile', 'delete', name),
  })
