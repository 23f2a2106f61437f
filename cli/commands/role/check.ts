import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { may } from '../../../shared/permissions.ts'
import { rolesIn } from '../../../shared/role-text.ts'
import { about } from '../../argv/about.ts'
import type { Connection } from '../../client/connect.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../../flows/org/organizations.ts'
import { notFoundError, usageError } from '../../output/cli-error.ts'
import { rolesOf } from './roles.ts'

interface Options {
  readonly as?: string
  readonly any?: boolean
}

/** Resource → actions, all of them needed. */
type Wanted = Readonly<Record<string, readonly string[]>>
type Ask = (wanted: Wanted) => boolean | Promise<boolean>

export const roleCheckCommand = (context: Context): Command =>
  about(
    new Command('check')
      .description('Whether the signed-in member, or a role, may do all of this: exit 0 allowed, 5 denied')
      .argument('<permission...>', 'RESOURCE:ACTION, such as member:create')
      .option('--as <role>', 'decide for that role, or several comma-separated, instead')
      .option('--any', 'one of the permissions is enough')
      .action((words: string[], options: Options) => check(context, words, options)),
    {
      form: 'one',
      fields: { allowed: 'flag', permissions: 'list', as: 'text?', any: 'flag' },
      examples: [
        'postern role check member:create',
        'postern role check team:create team:update --any --as admin',
        'postern role check invitation:create --quiet && postern invitation create ben@example.com --role member',
      ],
    },
  )

async function check(context: Context, words: readonly string[], { as, any = false }: Options): Promise<void> {
  const permissions = words.map(permissionOf)
  const connection = await context.connectSignedIn()
  const ask = as === undefined ? await asMember(context, connection) : await asRole(connection, as)
  const allowed = any ? await someOf(permissions, ask) : await ask(together(permissions))
  const verdict = `${allowed ? 'Allowed' : 'Denied'}: ${words.join(any ? ' or ' : ', ')}`
  context.out.line(verdict, { allowed, permissions: words, as: as ?? null, any })
  if (!allowed) context.exitCode = exitCodes.forbidden
}

async function asMember(context: Context, connection: Connection): Promise<Ask> {
  const organizationId = await organizationIdOf(connection, context.settings.organization.value)
  return async (permissions) => {
    const asked = Object.fromEntries(Object.entries(permissions).map(([resource, actions]) => [resource, [...actions]]))
    return (await connection.api.organization.hasPermission({ organizationId, permissions: asked })).success
  }
}

async function asRole(connection: Connection, text: string): Promise<Ask> {
  const roles = await rolesOf(connection)
  const held = rolesIn(text)
  const unknown = held.find((name) => !Object.hasOwn(roles, name))
  if (unknown !== undefined) throw notFoundError(`No role ${unknown}`, 'See them: postern role list')
  return (permissions) => may(roles, held, permissions)
}

type Permission = readonly [resource: string, action: string]

function permissionOf(word: string): Permission {
  const [, resource, action] = /^([^:]+):([^:]+)$/.exec(word) ?? []
  if (resource && action) return [resource, action]
  throw usageError(`Not RESOURCE:ACTION: ${word}`, 'For example: postern role check member:create')
}

const together = (permissions: readonly Permission[]): Wanted => {
  const wanted = new Map<string, string[]>()
  for (const [resource, action] of permissions) wanted.set(resource, [...(wanted.get(resource) ?? []), action])
  return Object.fromEntries(wanted)
}

/** One after the other: what the member holds by one role counts, whatever another one lacks. */
async function someOf(permissions: readonly Permission[], ask: Ask): Promise<boolean> {
  for (const permission of permissions) if (await ask(together([permission]))) return true
  return false
}
