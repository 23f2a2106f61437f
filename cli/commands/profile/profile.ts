import { Argument, Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { describeCommand, withCompleter } from '../../argv/command-metadata.ts'
import type { Flags } from '../../argv/flags.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { columnsOf, type FieldsOf } from '../../flows/resource-fields.ts'
import { CliError, notFoundError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { type ConfigFile, changeConfig, isNamedSetting, type StoredSettings } from '../../settings/config-file.ts'
import { checkSetting } from '../../settings/settings.ts'
import { localListCommand } from '../local-list.ts'

export const profileCommand = (context: Context): Command =>
  noun('profile', { summary: 'Profiles: named sets of a service and settings', plural: 'profiles' }, [
    profileListCommand(context),
    profileCreateCommand(context),
    profileUseCommand(context),
    profileDeleteCommand(context),
  ])

type ProfileRow = ReturnType<typeof profileRow>

const profileFields = {
  name: { title: 'Name', type: 'text' },
  current: { title: 'Current', type: 'flag' },
  url: { title: 'URL', type: 'text?' },
  account: { title: 'Account', type: 'text?' },
  org: { title: 'Organization', type: 'text?' },
  timeout: { title: 'Timeout', type: 'text?' },
  retries: { title: 'Retries', type: 'text?' },
  color: { title: 'Color', type: 'text?' },
  readOnly: { title: 'Read-only', type: 'text?' },
  allowHttp: { title: 'Allow http', type: 'text?' },
} as const satisfies FieldsOf<ProfileRow, ProfileRow>

const profileColumns = columnsOf<ProfileRow>(profileFields, ['name', 'current', 'url', 'account', 'org'])

const profileRow = (name: string, stored: StoredSettings, current: boolean) => ({
  name,
  current,
  url: stored.url ?? null,
  account: stored.account ?? null,
  org: stored.org ?? null,
  timeout: stored.timeout ?? null,
  retries: stored.retries ?? null,
  color: stored.color ?? null,
  readOnly: stored['read-only'] ?? null,
  allowHttp: stored['allow-http'] ?? null,
})

/** Returns the profile with this name. Exit 6 if there is none. */
function findProfile({ profiles }: ConfigFile, name: string): StoredSettings {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found) return found
  const names = Object.keys(profiles).join(', ')
  throw notFoundError(
    `No profile ${name}`,
    names ? `There are: ${names}` : commandLine('postern', 'profile', 'create', name),
  )
}

const profileCreateCommand = (context: Context): Command =>
  describeCommand(
    new Command('create')
      .description(
        'Store a service and settings under a name; takes --url, --account, --org, --timeout, --retries, --color, --read-only, --allow-http',
      )
      .argument('<name>', 'letters, digits, dots and dashes')
      .action((name: string) => create(context, name)),
    {
      form: 'change',
      fields: profileFields,
      ends: ['conflict', 'localState'],
      examples: ['work --url https://accounts.example.com --account alice@example.com'],
    },
  )

async function create(context: Context, name: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name))
    throw usageError(`Not a valid profile name: ${name}`, 'For example: work')
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
    value !== undefined && isNamedSetting(name) ? [[name, value] as const] : [],
  )
  for (const [name, value] of stored) checkSetting(name, value, { allowHttp })
  return Object.fromEntries(stored)
}

const exists = (name: string) =>
  new CliError(exitCodes.conflict, `There is a profile ${name} already`, {
    code: 'PROFILE_EXISTS',
    hint: `Use it: ${commandLine('postern', 'profile', 'use', name)}; to replace it: ${commandLine('postern', 'profile', 'delete', name)}, then this command again`,
  })

const profileDeleteCommand = (context: Context): Command =>
  describeCommand(
    new Command('delete')
      .description('Delete a profile; sessions are kept')
      .addArgument(withCompleter(new Argument('<name>', 'its name'), async () => Object.keys(context.config.profiles)))
      .action((name: string) => remove(context, name)),
    { form: 'change', fields: profileFields, ends: ['notFound', 'localState'], examples: ['work'] },
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

const profileListCommand = (context: Context): Command =>
  localListCommand<ProfileRow>(context, {
    summary: 'The profiles of this machine',
    columns: profileColumns,
    id: 'name',
    empty: 'No profiles yet: postern profile create work --url https://accounts.example.com',
    list: () => {
      const { profiles, profile } = context.config
      return Object.entries(profiles).map(([name, stored]) => profileRow(name, stored, name === profile))
    },
    fields: profileFields,
    ends: ['localState'],
    examples: [''],
  })

const profileUseCommand = (context: Context): Command =>
  describeCommand(
    new Command('use')
      .description('Make a profile the default')
      .addArgument(
        withCompleter(new Argument('<name>', 'its name; - for none'), async () => Object.keys(context.config.profiles)),
      )
      .action((name: string) => (name === '-' ? useNone(context) : use(context, name))),
    {
      form: 'change',
      fields: { ...profileFields, name: 'text?', current: 'flag?' },
      ends: ['notFound', 'localState'],
      examples: ['work', '-'],
    },
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
  await changeConfig(context.configPath, (config) => {
    const { profile: _, ...others } = config
    return others
  })
  context.out.done('Using no profile', {
    status: profile === undefined ? 'unchanged' : 'updated',
    resource: { name: null },
  })
}
