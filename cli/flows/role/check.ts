import { type Actions, isPermitted, type Roles } from '../../../shared/permissions.ts'
import { parseRoles } from '../../../shared/role-text.ts'
import { notFoundError, usageError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Check } from '../listing.ts'
import { workingOrganizationId } from '../org/organizations.ts'
import { listedRoles, permissionNames, roleNames } from '../org/view.ts'
import { type Permission, permissionOf, together } from './permission-words.ts'
import { roleList } from './roles.ts'

/** Whether all of the actions are allowed. */
type PermissionCheck = (wanted: Actions) => boolean | Promise<boolean>

const fields = {
  permissions: {
    kind: 'list',
    label: 'Permissions',
    argument: '<permission...>',
    summary: 'RESOURCE:ACTION, such as member:create',
    complete: permissionNames,
  },
  as: {
    kind: 'text',
    label: 'As',
    flag: '--as <role>',
    summary: 'check this role, or several comma-separated, instead',
    complete: roleNames,
    isOptional: true,
  },
  any: { kind: 'toggle', label: 'Any', flag: '--any', summary: 'one of the permissions is enough' },
} as const

export const roleCheck: Check<typeof fields> = {
  command: 'role check',
  summary: 'Check whether the signed-in member, or a role, has these permissions: exit 0 allowed, 5 denied',
  fields,
  call: '/organization/has-permission',
  answer: { allowed: 'flag', permissions: 'list', as: 'text?', any: 'flag' },
  examples: [
    'member:create',
    'team:create team:update --any --as admin',
    'postern role check invitation:create --quiet && postern invitation create ben@example.com --role member',
  ],
  ask: async (context, { permissions: words, as, any }) => {
    const permissions = words.map(permissionOf)
    const roles = await rolesOf(context)
    if (roles) for (const permission of permissions) checkKnown(permission, roles)
    const ask = as === undefined ? await asMember(context) : asRole(as, roles ?? {})
    const allowed = any ? await someOf(permissions, ask) : await ask(together(permissions))
    const sentence = `${allowed ? 'Allowed' : 'Denied'}: ${words.join(any ? ' or ' : ', ')}`
    return { sentence, resource: { allowed, permissions: words, as: as ?? null, any }, isDenied: !allowed }
  },
}

/** Undefined for a key that cannot read the roles: then the service decides. */
async function rolesOf(context: FlowContext): Promise<Roles | undefined> {
  try {
    const listed = await listedRoles(context)
    return Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  } catch (error) {
    if (toCliError(error).code === 'KEY_SCOPE_MISSING') return undefined
    throw error
  }
}

/** Exit 2: a check for a permission that no role has would deny for ever, and nobody would see why. */
function checkKnown([resource, action]: Permission, roles: Roles): void {
  const known = Object.values(roles).map((role) => (Object.hasOwn(role, resource) ? (role[resource] ?? []) : undefined))
  const actions = [...new Set(known.flatMap((one) => one ?? []))]
  if (actions.includes(action)) return
  const resources = [...new Set(Object.values(roles).flatMap((role) => Object.keys(role)))]
  const [sentence, words] =
    actions.length > 0
      ? [`No role knows ${action} of ${resource}`, actions.map((one) => `${resource}:${one}`)]
      : [`No role knows a resource ${resource}`, resources.map((one) => `${one}:…`)]
  throw usageError(sentence, `There is ${words.join(', ')}. All of them: ${commandWith(roleList)}`, [
    `${resource}:${action}`,
  ])
}

async function asMember(context: FlowContext): Promise<PermissionCheck> {
  const connection = await context.signedIn()
  const organizationId = await workingOrganizationId(context)
  return async (permissions) => {
    const asked = Object.fromEntries(Object.entries(permissions).map(([resource, actions]) => [resource, [...actions]]))
    return (await connection.api.organization.hasPermission({ organizationId, permissions: asked })).success
  }
}

function asRole(text: string, roles: Roles): PermissionCheck {
  const held = parseRoles(text)
  const unknown = held.find((name) => !Object.hasOwn(roles, name))
  if (unknown !== undefined) throw notFoundError(`No role ${unknown}`, `See them: ${commandWith(roleList)}`)
  return (permissions) => isPermitted(roles, held, permissions)
}

/** One by one, because different roles of a member can each grant one. */
async function someOf(permissions: readonly Permission[], ask: PermissionCheck): Promise<boolean> {
  for (const permission of permissions) if (await ask(together([permission]))) return true
  return false
}
